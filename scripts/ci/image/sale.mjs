// Sells by the services of the Compose file as a merchant would: by its command line and REST, paid from its customer's
// wallet, with every webhook verified. Then stops the service while a webhook is under way, and starts it again.
import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { parse } from "yaml";

const API = "http://127.0.0.1:3000/api/v1";
const PATIENCE_MS = 120_000;
/** Of BIP 84's test vectors. */
const XPUB =
  "vpub5Y6cjg78GGuNLsaPhmYsiw4gYX3HoQiRBiSwDaBXKUafCt9bNwWQiitDk5VZ5BVxYnQdwoTyXSs2JHRPAgjAvtbBrf8ZhDYe2jWAqvZVnsc";
/** How long the receiver takes to answer, so that a delivery is under way when the service has to stop. */
const SLOW_MS = 8_000;

const { services } = parse(readFileSync("docker-compose.regtest.yml", "utf8"), { merge: true });
const run = promisify(execFile);
const say = (text) => console.log(`image-check: ${text}`);
function must(condition, what) {
  if (!condition) throw new Error(what);
}

async function eventually(what, look) {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s`);
    await pause(200);
  }
}

async function compose(...args) {
  const { stdout } = await run("docker-compose", args, { timeout: 120_000 });
  return stdout.trim();
}
const exec = (service, ...command) => compose("exec", "-T", service, ...command);
const cli = async (...args) =>
  JSON.parse(await exec("quittance", "npm", "run", "-s", "cli", "--", "--json", ...args));
const bitcoin = (...args) =>
  exec(
    "bitcoind",
    "bitcoin-cli",
    "-regtest",
    "-rpcuser=devnet",
    "-rpcpassword=devnet",
    "-rpcwallet=customer",
    ...args,
  );
const lncli = (service, ...args) =>
  exec(service, "lncli", "--network=regtest", "--tlscertpath=/credentials/tls.cert", ...args);

/** By podman's own words: Running, ExitCode, Health. */
async function stateOf(service) {
  const id = await compose("ps", "-q", service);
  const { stdout } = await run("podman", ["inspect", "--format", "{{json .State}}", id]);
  return JSON.parse(stdout);
}
const isHealthy = async (service) => (await stateOf(service)).Health?.Status === "healthy";

/** Every service that the file has is there, and well in its own eyes; what has to end ended well. */
async function everyServiceRuns() {
  for (const [name, { healthcheck, restart, build }] of Object.entries(services)) {
    if (restart === undefined) {
      const { Running, ExitCode } = await stateOf(name);
      must(!Running && ExitCode === 0, `${name} did not end with 0`);
    } else if (healthcheck?.disable !== true && (healthcheck || build)) {
      await eventually(`${name} is healthy`, () => isHealthy(name));
    } else must((await stateOf(name)).Running, `${name} does not run`);
  }
}

/** As the file starts it, it is an ordinary user who can change nothing and has no capability. */
async function serviceIsConfined() {
  const look =
    "id -u; for d in /app /home/node; do touch $d/x 2>/dev/null && echo $d; done; grep CapEff /proc/self/status";
  const said = await exec("quittance", "sh", "-c", look);
  must(/^1000\s+CapEff:\s+0+$/.test(said), `its user, where it can write, and its capabilities: ${said}`);
}

/** The merchant's shop: keeps what it was sent, in order, and refuses what the secret does not verify. */
class Shop {
  secret = "";
  received = [];
  slow = new Set();

  async listen() {
    this.server = createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks);
      const signature = `sha256=${createHmac("sha256", this.secret).update(body).digest("hex")}`;
      if (request.headers["x-service-sig"] !== signature) {
        response.writeHead(401).end();
        return;
      }
      const { type, additionalStatus, invoiceId } = JSON.parse(body);
      const event = `${invoiceId} ${type}/${additionalStatus}`;
      this.received.push(event);
      if (this.slow.has(event)) await pause(SLOW_MS);
      response.writeHead(204).end();
    }).listen(0, "0.0.0.0");
    await once(this.server, "listening");
    return this.server.address().port;
  }

  got(invoice, what) {
    const event = `${invoice.invoiceId} ${what}`;
    return eventually(`webhook ${event}`, () => this.received.includes(event));
  }
}

const merchant = { store: "", key: "" };
async function request(method, where, body) {
  const response = await fetch(`${API}/stores/${merchant.store}${where}`, {
    method,
    headers: { "x-api-key": merchant.key, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${where}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}
const create = (orderId) =>
  request("POST", "/invoices", { amount: "25000", currency: "SATS", metadata: { orderId } });
const pay = (invoice) => {
  const { destination } = invoice.paymentMethods.find(({ type }) => type === "BTC-CHAIN");
  return bitcoin("sendtoaddress", destination, (invoice.dueSats / 1e8).toFixed(8));
};
const mine = (blocks = 1) => bitcoin("-generate", String(blocks));

async function setUp(shop) {
  const port = await shop.listen();
  merchant.store = (await cli("store", "create", "--name", "Check", "--lightning", "--xpub", XPUB)).storeId;
  merchant.key = (await cli("api-key", "create", "--store", merchant.store, "--name", "till")).apiKey;
  const url = `http://host.docker.internal:${port}/webhook`;
  shop.secret = (await request("POST", "/webhooks", { url })).secret;
}

async function sellOnChain(shop) {
  const invoice = await create("on-chain");
  await pay(invoice);
  await shop.got(invoice, "Processing/None");
  await mine();
  await shop.got(invoice, "Settled/None");
  say(`${invoice.invoiceId} was paid on-chain; its webhook Settled verified`);
}

/** As docs/operations/docker.md says it: coins, a channel, six blocks. */
async function sellByLightning(shop) {
  const { address } = JSON.parse(await lncli("lnd-customer", "newaddress", "p2wkh"));
  await bitcoin("sendtoaddress", address, "1");
  await mine();
  const { identity_pubkey: node } = JSON.parse(await lncli("lnd-merchant", "getinfo"));
  await eventually("the customer's LND has coins", async () => {
    const { confirmed_balance } = JSON.parse(await lncli("lnd-customer", "walletbalance"));
    return Number(confirmed_balance) > 0;
  });
  await lncli("lnd-customer", "connect", `${node}@lnd-merchant:9735`);
  await lncli("lnd-customer", "openchannel", "--node_key", node, "--local_amt", "5000000");
  await mine(6);
  await eventually("a channel", async () => {
    const { channels } = JSON.parse(await lncli("lnd-customer", "listchannels", "--active_only"));
    return channels.length > 0;
  });
  const invoice = await create("lightning");
  const { destination } = invoice.paymentMethods.find(({ type }) => type === "BTC-LN");
  await lncli("lnd-customer", "payinvoice", "--force", destination);
  await shop.got(invoice, "Settled/None");
  say(`${invoice.invoiceId} was paid by Lightning; its webhook Settled verified`);
}

async function stopWhileSelling(shop) {
  const [held, meanwhile, down] = [await create("held"), await create("meanwhile"), await create("down")];
  const slow = `${held.invoiceId} Processing/None`;
  shop.slow.add(slow);
  await pay(held);
  await eventually("a delivery under way", () => shop.received.includes(slow));
  const start = performance.now();
  await Promise.all([compose("stop", "quittance"), pay(meanwhile)]);
  const took = (performance.now() - start) / 1000;
  const { Running, ExitCode } = await stateOf("quittance");
  must(!Running && ExitCode === 0, `it did not stop by itself: it ended with ${ExitCode} after ${took} s`);
  must(took < Number.parseInt(services.quittance.stop_grace_period, 10), `it took ${took} s to stop`);
  await pay(down);
  await mine();
  say(`stopped in ${took.toFixed(1)} s, with a webhook under way`);
  await compose("start", "quittance");
  await eventually("the service is healthy again", () => isHealthy("quittance"));
  for (const invoice of [held, meanwhile, down]) await shop.got(invoice, "Settled/None");
}

const shop = new Shop();
await everyServiceRuns();
say(`all ${Object.keys(services).length} services of the Compose file run`);
await serviceIsConfined();
await setUp(shop);
await sellOnChain(shop);
await sellByLightning(shop);
const buttons = await create("buttons");
const pressed = await fetch(`${buttons.checkoutUrl}/test/full`, {
  method: "POST",
  headers: { "sec-fetch-site": "same-origin" },
  redirect: "manual",
});
must(pressed.status === 303, `the checkout's button was answered with ${pressed.status}`);
await shop.got(buttons, "Processing/None");
say("the test customer paid by the checkout's button");
await stopWhileSelling(shop);
process.exit(0);
