import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { SETTINGS } from "../../config/schema";
import { payThrough } from "../../scripts/demo/customer-door";
import { DemoFolder, DemoRefusal } from "../../scripts/demo/folder";
import { startLightning } from "../../scripts/demo/lightning";
import { startNode } from "../../scripts/demo/node";
import {
  ACCOUNTING_PATH,
  FAILS_ONCE,
  SHOP_PATH,
  startReceiver,
  type Heard,
} from "../../scripts/demo/receiver";
import { apiPort, demoSettings } from "../../scripts/demo/settings";
import { lineAbout } from "../../scripts/demo/webhook-lines";
import { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";
import { SimulatedLnd } from "../../scripts/devnet/lightning/simulated-lnd";
import { lndEnvironment } from "../support/lightning";
import { RawLnd } from "../support/raw-lnd";
import { freePort } from "../../scripts/devnet/free-port";

async function refusal(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    if (error instanceof DemoRefusal) return error.message;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("the demo", () => {
  let dir: string;
  beforeEach(() => void (dir = mkdtempSync(path.join(os.tmpdir(), "quittance-demo-"))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it("says which port is taken, and how to choose another one", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    expect(await refusal(() => apiPort({ PORT: String(port) }))).to.match(
      new RegExp(`^Port ${port} is taken .*: PORT=\\d+ npm run demo$`),
    );
    await new Promise((resolve) => server.close(resolve));
    expect(await apiPort({ PORT: String(port) })).to.equal(port);
  });

  it("takes no port that another program has where browsers look for localhost too", async function () {
    const server = createServer().listen(0, "::1");
    const heard = await Promise.race([once(server, "listening"), once(server, "error").then(() => null)]);
    if (heard === null) return this.skip(); // no IPv6 here
    const { port } = server.address() as AddressInfo;
    expect(await refusal(() => apiPort({ PORT: String(port) }))).to.contain(`Port ${port} is taken`);
    await new Promise((resolve) => server.close(resolve));
  });

  it("has a receiver whose accounting fails once, at one order, and is right when it is redelivered", async () => {
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

  it("refuses a port that is none, and any network but regtest", async () => {
    for (const PORT of ["0", "65536", "http", "30 00"])
      expect(await refusal(() => apiPort({ PORT }))).to.contain("is no port from 1 to 65535");
    for (const NETWORK of ["mainnet", "testnet4", "signet"])
      expect(await refusal(() => apiPort({ NETWORK }))).to.contain("runs on regtest alone");
  });

  it("says that its folder cannot be written to", async () => {
    writeFileSync(path.join(dir, "file"), "");
    const below = path.join(dir, "file", "demo");
    expect(await refusal(() => new DemoFolder(below).take())).to.contain(`${below} cannot be written to`);
  });

  it("runs once in a folder, and takes the folder of one that crashed", async () => {
    const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", "demo.cjs"]);
    await once(other, "spawn");
    writeFileSync(path.join(dir, "demo.pid"), String(other.pid));
    expect(await refusal(() => new DemoFolder(dir).take())).to.contain(`(process ${other.pid})`);
    other.kill("SIGKILL");
    await once(other, "exit");
    new DemoFolder(dir).take();
    expect(readFileSync(path.join(dir, "demo.pid"), "utf8")).to.equal(String(process.pid));
  });

  it("decides every setting itself, so that no setting of the environment reaches the apps", () => {
    const node = { BITCOIND_RPC_URL: "http://127.0.0.1:18443" };
    const lightning = { LND_GRPC_URL: "127.0.0.1:10009" };
    const settings = demoSettings({
      databaseUrl: "postgres://own",
      port: 3001,
      appSecret: "x",
      node,
      lightning,
    });
    expect(settings).to.include.all.keys(Object.keys(SETTINGS));
    expect(settings).to.include({
      ...node,
      ...lightning,
      LND_MACAROON_HEX: "",
      NETWORK: "regtest",
      DATABASE_URL: "postgres://own",
      REDIS_URL: "",
    });
  });

  it("uses the node of BITCOIND_RPC_URL, on regtest alone", async () => {
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

  it("has an LND whose customer pays through another process, and the same one at the next start", async () => {
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
    expect(await payThrough(first.payUrl ?? "", bolt11)).to.match(/^[0-9a-f]{64}$/);
    const again = await payThrough(first.payUrl ?? "", bolt11).catch((error: unknown) => error);
    expect(again).to.be.instanceOf(Error).with.property("message").that.includes("the invoice is SETTLED");
    expect((await fetch(new URL("/", first.payUrl ?? ""), { method: "POST", body: bolt11 })).status).to.equal(
      404,
    );
    raw.close();
    await first.stop();

    const second = await startLightning({}, dir);
    const known = new RawLnd({ ...grpc, url: second.settings["LND_GRPC_URL"] ?? "" }, readFileSync(macaroon));
    const found = await known.call("lnrpc.Lightning", "LookupInvoice", { r_hash: added["r_hash"] });
    expect(found["state"]).to.equal("SETTLED");
    known.close();
    await second.stop();
  });

  it("uses the LND of LND_GRPC_URL, where it sees that it is on regtest", async () => {
    const own = await SimulatedLnd.start();
    const env = lndEnvironment(own.grpc);
    const lightning = await startLightning(env, dir);
    expect(lightning).to.deep.include({ customer: null, payUrl: null });
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
