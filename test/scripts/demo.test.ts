import { spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { SETTINGS } from "../../config/schema";
import { makeTestCustomer, TestCustomerError } from "../../adapters/http/test-customer";
import { Apps } from "../../scripts/demo/apps";
import { demoCli } from "../../scripts/demo/cli";
import { openCustomerDoor, type SimulatedCustomer } from "../../scripts/demo/customer-door";
import { DemoFolder, DemoRefusal } from "../../scripts/demo/folder";
import { startLightning } from "../../scripts/demo/lightning";
import { startNode } from "../../scripts/demo/node";
import { packagePlace, repositoryPlace } from "../../scripts/demo/place";
import {
  ACCOUNTING_PATH,
  FAILS_ONCE,
  SHOP_PATH,
  startReceiver,
  type Heard,
} from "../../scripts/demo/receiver";
import { apiPort, demoSettings } from "../../scripts/demo/settings";
import { lineAbout } from "../../scripts/demo/webhook-lines";
import { SimulatedNode } from "../support/devnet/simulated-node";
import { SimulatedLnd } from "../support/devnet/simulated-lnd";
import { lndEnvironment } from "../support/lightning";
import { RawLnd } from "../support/raw-lnd";
import { TEST_APP_SECRET } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { freePort } from "../../scripts/devnet/free-port";
import { failureOf } from "../support/refusal";

const START = "npm run demo";

const refusal = async (act: () => unknown): Promise<string> =>
  (await failureOf(Promise.resolve().then(act), DemoRefusal)).message;
const refused = async (asked: Promise<unknown>): Promise<string> =>
  (await failureOf(asked, TestCustomerError)).message;

describe("the demo", () => {
  let dir: string;
  beforeEach(() => void (dir = mkdtempSync(path.join(os.tmpdir(), "quittance-demo-"))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it("of the package keeps its data in the user's data folder, and of the repository in the repository", () => {
    const { dir, start, pay, cli } = packagePlace({ XDG_DATA_HOME: "/data" }, __filename);
    if (process.platform === "linux") {
      expect(dir).to.equal("/data/quittance-demo");
      for (const XDG_DATA_HOME of [undefined, "", "relative"])
        expect(packagePlace({ XDG_DATA_HOME }, __filename).dir).to.equal(
          path.join(os.homedir(), ".local/share/quittance-demo"),
        );
    }
    expect([start, pay, cli]).to.deep.equal([
      "npx --ignore-scripts quittance-demo",
      "npx --ignore-scripts quittance-demo pay",
      "npx --ignore-scripts quittance-demo cli",
    ]);
    expect(repositoryPlace({})).to.deep.include({ start: "npm run demo", pay: "npm run -s demo:pay --" });
    expect(path.basename(repositoryPlace({}).dir)).to.equal(".demo");
  });

  it("answers a question for help and a word that it does not know, and does not start", () => {
    const run = (arg: string) =>
      spawnSync(process.execPath, ["scripts/npm/demo.cjs", arg], { encoding: "utf8", timeout: 30_000 });
    const help = run("--help");
    expect([help.status, help.stderr]).to.deep.equal([0, ""]);
    expect(help.stdout).to.match(/^usage: npm run demo /);
    const wrong = run("--fw");
    expect([wrong.status, wrong.stdout]).to.deep.equal([1, ""]);
    expect(wrong.stderr).to.match(/^unknown: --fw\nusage: npm run demo /);
  });

  it("says which port is taken, and how to choose another one", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    for (const { start } of [
      repositoryPlace({}),
      repositoryPlace({ npm_lifecycle_event: "dev" }),
      packagePlace({}, __filename),
    ])
      expect(await refusal(() => apiPort({ PORT: String(port) }, start))).to.match(
        new RegExp(`^Port ${port} is taken .*: PORT=\\d+ ${start}$`),
      );
    await new Promise((resolve) => server.close(resolve));
    expect(await apiPort({ PORT: String(port) }, START)).to.equal(port);
  });

  it("uses no port that another program has on which browsers find localhost too", async function () {
    const server = createServer().listen(0, "::1");
    const heard = await Promise.race([once(server, "listening"), once(server, "error").then(() => null)]);
    if (heard === null) return this.skip(); // no IPv6 here
    const { port } = server.address() as AddressInfo;
    expect(await refusal(() => apiPort({ PORT: String(port) }, START))).to.contain(`Port ${port} is taken`);
    await new Promise((resolve) => server.close(resolve));
  });

  it("has a receiver whose accounting fails once, at one order, and works when it is redelivered", async () => {
    const heard: Heard[] = [];
    const receiver = await startReceiver(0, (one) => void heard.push(one));
    receiver.trust(ACCOUNTING_PATH, "whsec_a");
    receiver.trust(SHOP_PATH, "whsec_b");
    const post = async (
      path: string,
      secret: string,
      attempt: number,
      orderId = FAILS_ONCE,
    ): Promise<number> => {
      const body = JSON.stringify({
        type: "Settled",
        invoiceId: "inv_1",
        metadata: { orderId },
        additionalStatus: "None",
      });
      const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
      const headers = { "x-service-sig": signature, "x-service-attempt": String(attempt) };
      return (await fetch(`http://127.0.0.1:${receiver.port}${path}`, { method: "POST", body, headers }))
        .status;
    };
    expect(await post(ACCOUNTING_PATH, "whsec_a", 1)).to.equal(500);
    expect(await post(ACCOUNTING_PATH, "whsec_a", 2)).to.equal(200);
    expect(await post(ACCOUNTING_PATH, "whsec_a", 1, "another")).to.equal(200);
    expect(await post(SHOP_PATH, "whsec_b", 1)).to.equal(200);
    expect(await post(SHOP_PATH, "whsec_a", 1)).to.equal(401);
    expect(heard.map(lineAbout)).to.deep.equal([
      "webhook Settled/None inv_1 failed: the accounting answered 500. Redeliver it in the dashboard",
      "webhook Settled/None inv_1 redelivered, signature ok",
      null,
      null,
      "webhook refused: its signature is wrong",
    ]);
    await receiver.close();
  });

  it("refuses an invalid port, and any network but regtest", async () => {
    for (const PORT of ["0", "65536", "http", "30 00"])
      expect(await refusal(() => apiPort({ PORT }, START))).to.contain("is no port from 1 to 65535");
    for (const NETWORK of ["mainnet", "testnet4", "signet"])
      expect(await refusal(() => apiPort({ NETWORK }, START))).to.contain("runs on regtest alone");
  });

  it("gives its command line the settings of the demo that runs, and says that none does", async () => {
    let out = "";
    const terminal = { out: (text: string) => void (out += text), err: (text: string) => void (out += text) };
    const place = { ...repositoryPlace({}), dir };
    expect(await demoCli(["store", "list"], place, terminal)).to.equal(1);
    expect(out).to.equal("No demo runs here: start one with `npm run demo`.\n");
    const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", "demo.cjs"]);
    await once(other, "spawn");
    writeFileSync(path.join(dir, "demo.pid"), String(other.pid));
    const settings = demoSettings({
      databaseUrl: await testDatabaseUrl(),
      port: 3000,
      appSecret: TEST_APP_SECRET,
      node: {},
      lightning: {},
      customerUrl: "http://127.0.0.1:1/x",
      processes: "each",
    });
    new DemoFolder(dir).writeRunning({ apiUrl: "", customerUrl: "", settings });
    out = "";
    expect(await demoCli(["store", "create", "--name", "Tea", "--json"], place, terminal), out).to.equal(0);
    expect(JSON.parse(out)).to.have.property("storeId");
    other.kill();
  });

  it("hands on keys that are pressed at a terminal, with Ctrl-C still a signal, and takes none elsewhere", async function () {
    const keys = JSON.stringify(path.join(__dirname, "../../scripts/demo/keys.ts"));
    const script = `process.on("SIGINT", () => { console.log("interrupted"); process.exit(0); });
      const has = require(${keys}).onKeys((key) => console.log("pressed " + key)); console.log("keys " + has);`;
    const node = [process.execPath, "--require", "tsx", "-e", script];
    const piped = spawn(node[0] ?? "", node.slice(1), { stdio: ["ignore", "pipe", "inherit"] });
    expect(String((await once(piped.stdout, "data"))[0])).to.equal("keys false\n");
    const pty = `import os, pty, sys
pid, fd = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
seen = b""
for wanted, sent in ((b"keys true", b"l"), (b"pressed l", b"\\x03"), (b"interrupted", b"")):
    while wanted not in seen: seen += os.read(fd, 1024)
    os.write(fd, sent)
print("done")`;
    const typed = spawn("python3", ["-c", pty, ...node], { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    typed.stdout.on("data", (text) => void (said += String(text)));
    const missing = await Promise.race([once(typed, "error"), once(typed, "close")]);
    if (missing[0] instanceof Error) return this.skip(); // no Python here
    expect(said).to.equal("done\n");
  });

  it("runs once in a folder, and takes over the folder of one that crashed", async () => {
    const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", "demo.cjs"]);
    await once(other, "spawn");
    writeFileSync(path.join(dir, "demo.pid"), String(other.pid));
    expect(await refusal(() => new DemoFolder(dir).take())).to.contain(`(process ${other.pid})`);
    other.kill("SIGKILL");
    await once(other, "exit");
    new DemoFolder(dir).take();
    expect(readFileSync(path.join(dir, "demo.pid"), "utf8")).to.equal(String(process.pid));
  });

  it("keeps PM2 where a long path has no room in a folder of random name, and nowhere that others made", () => {
    const long = (name: string): string => path.join(dir, name, "long".repeat(30));
    const [demoDir, otherDir] = [long("a"), long("b")];
    for (const each of [demoDir, otherDir]) mkdirSync(each, { recursive: true });
    const { home } = new Apps(dir, demoDir);
    const { home: again } = new Apps(dir, demoDir);
    const { home: other } = new Apps(dir, otherDir);
    rmSync(other, { recursive: true });
    expect(again).to.equal(home);
    expect(other).to.not.equal(home);
    expect(statSync(home).mode & 0o777).to.equal(0o700);
    // Another user, who saw its name, puts a link in its place.
    const victim = path.join(dir, "victim");
    mkdirSync(path.join(victim, "logs"), { recursive: true });
    chmodSync(victim, 0o755);
    rmSync(home, { recursive: true });
    symlinkSync(victim, home);
    const { home: fresh } = new Apps(dir, demoDir);
    expect(fresh).to.not.equal(home);
    expect([statSync(victim).mode & 0o777, readdirSync(victim)]).to.deep.equal([0o755, ["logs"]]);
    for (const each of [home, fresh]) rmSync(each, { recursive: true });
  });

  it("sets every setting itself, so that no setting of the environment reaches the apps", () => {
    const node = { BITCOIND_RPC_URL: "http://127.0.0.1:18443" };
    const lightning = { LND_GRPC_URL: "127.0.0.1:10009" };
    const settings = demoSettings({
      databaseUrl: "postgres://own",
      port: 3001,
      appSecret: "x",
      node,
      lightning,
      customerUrl: "http://127.0.0.1:3099/customer",
      processes: "few",
    });
    expect(settings).to.include.all.keys(Object.keys(SETTINGS));
    expect(settings).to.include({
      ...node,
      ...lightning,
      LND_MACAROON_HEX: "",
      NETWORK: "regtest",
      DATABASE_URL: "postgres://own",
      PROCESSES: "few",
      REDIS_URL: "",
      TEST_CUSTOMER_URL: "http://127.0.0.1:3099/customer",
    });
  });

  it("uses the node of BITCOIND_RPC_URL, on regtest only", async () => {
    const own = await SimulatedNode.start();
    const env = { BITCOIND_RPC_URL: own.rpcUrl };
    const node = await startNode(env, dir);
    expect(node.settings).to.include(env);
    expect(await node.customer?.pay(await own.newAddress(), 10_000n)).to.match(/^[0-9a-f]{64}$/);
    await node.stop();
    expect(await own.rpc("getblockcount")).to.be.a("number"); // it is the visitor's to stop

    own.faults.chain = "main";
    expect(await refusal(() => startNode(env, dir))).to.contain("is a node on main");
    await own.stop();
    const nowhere = { BITCOIND_RPC_URL: `http://user:secret@127.0.0.1:${await freePort()}` };
    expect(await refusal(() => startNode(nowhere, dir)))
      .to.contain("cannot be used")
      .and.not.to.contain("secret");
  });

  it("has an LND whose customer pays over HTTP, and the same one at the next start", async () => {
    const first = await startLightning({}, dir);
    const {
      LND_GRPC_URL: url = "",
      LND_TLS_CERT_FILE: cert = "",
      LND_MACAROON_FILE: macaroon = "",
    } = first.settings;
    const grpc = { url, tlsCert: readFileSync(cert, "utf8") };
    const raw = new RawLnd(grpc, readFileSync(macaroon));
    const added = await raw.call("lnrpc.Lightning", "AddInvoice", { value: "1000" });
    const bolt11 = String(added["payment_request"]);
    const door = await openCustomerDoor({ onChain: null, lightning: first.customer });
    const customer = makeTestCustomer(door.url);
    expect(await customer.payBolt11(bolt11)).to.match(/^[0-9a-f]{64}$/);
    expect(await refused(customer.payBolt11(bolt11))).to.contain("the invoice is SETTLED");
    await door.close();
    raw.close();
    await first.stop();

    const second = await startLightning({}, dir);
    const known = new RawLnd({ ...grpc, url: second.settings["LND_GRPC_URL"] ?? "" }, readFileSync(macaroon));
    const found = await known.call("lnrpc.Lightning", "LookupInvoice", { r_hash: added["r_hash"] });
    expect(found["state"]).to.equal("SETTLED");
    known.close();
    await second.stop();
  });

  describe("its customer's HTTP interface", () => {
    async function withDoor(
      customer: Partial<SimulatedCustomer>,
      use: (url: string, node: SimulatedNode) => Promise<void>,
    ): Promise<void> {
      const node = await SimulatedNode.start();
      const onChain = (await startNode({ BITCOIND_RPC_URL: node.rpcUrl }, dir)).customer;
      const door = await openCustomerDoor({ onChain, lightning: null, ...customer });
      await use(door.url, node);
      await door.close();
      await node.stop();
    }

    it("pays, mines, and double-spends the last payment to an address, as long as no block has it", async () => {
      await withDoor({}, async (url, node) => {
        const customer = makeTestCustomer(url);
        expect(await customer.abilities()).to.deep.equal({ onChain: true, lightning: false });
        const shop = await node.newAddress();
        expect(await refused(customer.doubleSpend(shop))).to.contain("has paid nothing to this address yet");
        const first = await customer.pay(shop, 20_000n);
        const second = await customer.doubleSpend(shop);
        const mempool = await node.rpc<string[]>("getrawmempool");
        expect(mempool).to.include(second).and.not.include(first);
        expect(await refused(customer.doubleSpend(shop))).to.contain("has paid nothing");
        await customer.pay(shop, 30_000n);
        const height = await node.rpc<number>("getblockcount");
        await customer.mine(2);
        expect(await node.rpc<number>("getblockcount")).to.equal(height + 2);
        expect(await refused(customer.doubleSpend(shop))).to.contain("cannot be double-spent any more");
        expect(await refused(customer.pay(shop, 10_000_000_000_000n))).to.contain("Insufficient funds");
        expect(await refused(customer.pay("nowhere", 1_000n))).to.contain("Invalid address");
        expect(await refused(customer.payBolt11("lnbcrt1"))).to.contain("no Lightning node");
      });
    });

    it("refuses web pages, other paths and invalid requests", async () => {
      await withDoor({}, async (url) => {
        const json = { "content-type": "application/json" };
        const ask = async (to: string | URL, body: string, headers: Record<string, string> = json) =>
          (await fetch(to, { method: "POST", body, headers })).status;
        const mine = JSON.stringify({ do: "mine", blocks: 1 });
        expect(await ask(url, mine)).to.equal(200);
        expect(await ask(url, mine, { ...json, origin: "https://evil.example" })).to.equal(404);
        expect(await ask(url, mine, { "content-type": "text/plain" })).to.equal(404);
        expect(await ask(new URL("/", url), mine)).to.equal(404);
        expect((await fetch(url)).status).to.equal(404);
        const nonsense = [
          ...["", "null", "[]", "{", '{"do": "steal"}', '{"do": "mine", "blocks": 0}'],
          ...['{"do": "mine", "blocks": 1000000}', '{"do": "pay", "address": "a", "sats": 1.5}'],
          ...['{"do": "pay", "sats": 1}', '{"do": "pay-bolt11"}', '{"do": "double-spend", "address": 1}'],
          ...['{"do": "toString"}', '{"do": "pay", "address": "a", "sats": "1"}'],
        ];
        for (const body of nonsense) expect(await ask(url, body), body).to.equal(422);
      });
    });

    it("distinguishes nobody from another program", async () => {
      const nobody = makeTestCustomer(`http://127.0.0.1:${await freePort()}/`);
      expect(await nobody.abilities()).to.equal(null);
      expect(await refused(nobody.mine(1))).to.contain("does not answer");
      const receiver = await startReceiver(0, () => undefined);
      const other = makeTestCustomer(`http://127.0.0.1:${receiver.port}/`);
      expect(await other.abilities()).to.equal(null);
      expect(await refused(other.mine(1))).to.contain("does not answer");
      await receiver.close();
    });
  });

  it("uses the LND of LND_GRPC_URL, when it is on regtest", async () => {
    const own = await SimulatedLnd.start();
    const env = lndEnvironment(own.grpc);
    const lightning = await startLightning(env, dir);
    expect(lightning).to.deep.include({ customer: null });
    expect(lightning.settings).to.include(env);
    await lightning.stop();
    expect(await own.receivableSats()).to.be.a("bigint"); // it is the visitor's to stop

    expect(await refusal(() => startLightning(lndEnvironment(own.grpc, "invoice"), dir))).to.contain(
      "info:read",
    );
    expect(await refusal(() => startLightning({ LND_GRPC_URL: own.grpc.url }, dir))).to.contain(
      "LND_MACAROON_FILE",
    );
    await own.lock();
    expect(await refusal(() => startLightning(env, dir))).to.contain("wallet is locked");
    await own.stop();
    expect(await refusal(() => startLightning(env, dir))).to.contain("that LND cannot be used");
  });
});
