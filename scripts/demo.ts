import "reflect-metadata";
import { untilReady, StoreApi, type DemoInvoice } from "./demo/api";
import { Apps } from "./demo/apps";
import { Blocks, BLOCK_EVERY_SECONDS } from "./demo/blocks";
import { CleanUp } from "./demo/clean-up";
import { openCustomerDoor } from "./demo/customer-door";
import { DemoFolder, DemoRefusal, type Kept } from "./demo/folder";
import { settle, type Merchant } from "./demo/merchant";
import { startLightning, type DemoLightning } from "./demo/lightning";
import { startNode, type DemoNode } from "./demo/node";
import { makeExamples } from "./demo/examples";
import { repositoryPlace, ROOT, type DemoPlace } from "./demo/place";
import { Restarts, type WatchSources } from "./demo/restarts";
import { ACCOUNTING_PATH, SHOP_PATH, startReceiver, type Receiver } from "./demo/receiver";
import { apiPort, demoSettings, newKept } from "./demo/settings";
import { onKeys } from "./demo/keys";
import { FirstInvoices } from "./demo/first-invoices";
import { VISITOR, visitorLink } from "./demo/visitor";
import { lineAbout } from "./demo/webhook-lines";
import { startEmbeddedPostgres } from "./embedded-postgres";

const READY_WITHIN_MS = 90_000;
const PROGRESS_EVERY_MS = 500;
const DAY_SECONDS = 86_400;
const AGAIN = "Press l for a new link.";
const DATABASE_EXISTS = "42P04";
/** `npm run demo -- --few`: all workers in one process. Else as the service runs in production. */
const PROCESSES = process.argv.includes("--few") ? "few" : "each";

const cleanUp = new CleanUp();
const blocks = new Blocks();
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const seconds = (): string => `${process.uptime().toFixed(1).padStart(5)} s`;
const step = (text: string): void => say(`${seconds()}  ${text}`);

interface Started {
  apiUrl: string;
  databaseUrl: string;
  /** A link that logs in without a password: only for the terminal. */
  newLink(): Promise<string>;
  merchant: Merchant;
  node: DemoNode;
  lightning: DemoLightning;
}

/** Returns its URL and the stored state, which is less when the database is new. */
async function startDatabase(
  folder: DemoFolder,
  command: string,
): Promise<{ databaseUrl: string; kept: Kept }> {
  const dir = folder.file("postgres");
  step("Postgres …");
  const postgres = await startEmbeddedPostgres({ dir, leavesPackageAlone: true, dependent: command });
  cleanUp.add(() => postgres.stop());
  if (!postgres.dataDir.startsWith(dir))
    step(`Postgres keeps its data in ${postgres.dataDir}, as its user cannot reach ${dir}`);
  let kept = folder.readKept() ?? newKept();
  try {
    await postgres.createDatabase(kept.database);
    kept = { appSecret: kept.appSecret, database: kept.database };
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === DATABASE_EXISTS)) throw error;
  }
  folder.writeKept(kept);
  return { databaseUrl: postgres.urlOf(kept.database), kept };
}

async function startApps(apps: Apps, env: Record<string, string>, apiUrl: string): Promise<void> {
  step("API and workers, under PM2 …");
  cleanUp.add(() => apps.stop());
  let said = "";
  const report = (): void => {
    const now = apps.progress();
    if (now !== said) step(now);
    said = now;
  };
  const reporting = setInterval(report, PROGRESS_EVERY_MS);
  await apps.start({ ...process.env, ...env }).finally(() => clearInterval(reporting));
  report();
  const reason = await untilReady(apiUrl, READY_WITHIN_MS);
  if (reason !== null)
    throw new Error(`The service is not ready after ${READY_WITHIN_MS / 1_000} s. ${reason}\n${apps.logs()}`);
}

interface Parts {
  folder: DemoFolder;
  apps: Apps;
  receiver: Receiver;
  port: number;
  command: string;
}

async function startAll({ folder, apps, receiver, port, command }: Parts): Promise<Started> {
  const { databaseUrl, kept } = await startDatabase(folder, command);
  step(process.env["BITCOIND_RPC_URL"] ? "Your regtest node …" : "A simulated Bitcoin node (regtest) …");
  const node = await startNode(process.env, folder.file("bitcoin"));
  cleanUp.add(() => node.stop());
  step(process.env["LND_GRPC_URL"] ? "Your LND …" : "A simulated LND …");
  const lightning = await startLightning(process.env, folder.file("lightning"));
  cleanUp.add(() => lightning.stop());
  const customer = { onChain: node.customer, lightning: lightning.customer };
  const door = await openCustomerDoor(customer, { onPayment: () => blocks.somebodyPlays() });
  cleanUp.add(() => door.close());
  const payDoor = await openCustomerDoor(customer); // for demo:pay, whose payments wait for the next block
  cleanUp.add(() => payDoor.close());
  const env = demoSettings({
    databaseUrl,
    port,
    appSecret: kept.appSecret,
    node: node.settings,
    lightning: lightning.settings,
    customerUrl: door.url,
    processes: PROCESSES,
  });
  step("Tables, a store, its key and its webhooks …");
  const { merchant, replaced } = await settle(folder, kept, env, receiver.port);
  receiver.trust(SHOP_PATH, merchant.webhook.secret);
  receiver.trust(ACCOUNTING_PATH, merchant.accounting.secret);
  const apiUrl = env["PUBLIC_URL"] ?? "";
  await startApps(apps, env, apiUrl);
  for (const id of replaced) await new StoreApi(apiUrl, merchant).deleteWebhook(id);
  folder.writeRunning({ apiUrl, customerUrl: payDoor.url, settings: env });
  const newLink = () => visitorLink(env, merchant.storeId);
  return { apiUrl, databaseUrl, newLink, merchant, node, lightning };
}

function welcome({ apiUrl, merchant }: Started, logDir: string): void {
  say(`
  API           ${apiUrl}
  Health        ${apiUrl}/api/v1/health
  Store ID      ${merchant.storeId}
  API key       ${merchant.apiKey}
  Logs          ${logDir}
`);
}

function howToPay({ node, lightning }: Started, pay: string): string {
  const onChain = node.customer
    ? `  ${pay} inv_…              the customer pays what is due
  ${pay} <address> <sats>   or any amount to any address`
    : `  Pay its address from a regtest wallet of yours, and mine a block: your node has no wallet for the demo to use.`;
  const byLightning = lightning.customer
    ? `  ${pay} inv_… --lightning  the customer pays its BOLT11`
    : `  Pay its BOLT11 from another node of yours, by a channel to your LND.`;
  const mined = `A block is mined every ${BLOCK_EVERY_SECONDS} s, but not while you press those buttons, one of which mines.`;
  return `${onChain}\n${byLightning}${node.customer ? `\n\n${mined}` : ""}`;
}

function howToGoOn(started: Started, { checkoutUrl }: DemoInvoice, { pay, cli }: DemoPlace): void {
  const { apiUrl, merchant } = started;
  say(`
Now you. Open ${checkoutUrl} and press the buttons:
they pay it in full, in part, too late or not at all, so that you see all that a customer may see.

Or make an invoice of your own:

  curl -s ${apiUrl}/api/v1/stores/${merchant.storeId}/invoices \\
    -H 'x-api-key: ${merchant.apiKey}' -H 'Content-Type: application/json' \\
    -d '{"amount": "21000", "currency": "SATS", "metadata": {"orderId": "A-1001"}}'

and pay it, in another terminal:

${howToPay(started, pay)}

The operator's command line: ${cli} doctor

Its webhooks show here. Ctrl-C stops everything; the next start keeps the data.
`);
}

/** Printed last, where it is found; at a terminal again for each press of a key. */
async function showLink({ newLink }: Started): Promise<void> {
  let making = true;
  const show = async (more: string): Promise<void> => {
    making = true;
    try {
      say(`
  Dashboard     ${await newLink()}
                Open it to log in as ${VISITOR}: it works once and for 15 minutes. ${more}
`);
    } catch (error) {
      if (!cleanUp.begun)
        step(`no link could be made: ${error instanceof Error ? error.message : String(error)}`);
    }
    making = false;
  };
  const hasKeys = onKeys((key) => {
    if (key.toLowerCase() === "l" && !making) void show(AGAIN);
  });
  await show(hasKeys ? AGAIN : "The next start prints another.");
}

/** While the visitor watches; the next start continues where this one ended. */
async function fillDashboard(folder: DemoFolder, api: StoreApi, { customer }: DemoNode): Promise<void> {
  const kept = folder.readKept();
  if (kept === null || kept.examples) return;
  step("meanwhile invoices in every state come to the dashboard, and a webhook that fails");
  try {
    await makeExamples(api, customer);
    folder.writeKept({ ...kept, examples: true });
  } catch (error) {
    if (!cleanUp.begun)
      step(`not all of them could be made: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function notMined(error: unknown): void {
  if (!cleanUp.begun) step(`no block was mined: ${error instanceof Error ? error.message : String(error)}`);
}

/** Restarts the processes whose sources change. */
function develop({ apiUrl, databaseUrl }: Started, apps: Apps, watch: WatchSources): void {
  say(`  Database      ${databaseUrl}

Sources are watched: a change is built, and the API or all processes are restarted.
`);
  const restarts = new Restarts(apps, apiUrl, step);
  cleanUp.add(() => restarts.stop());
  watch((rebuild) => restarts.rebuilt(rebuild)).catch(fail);
}

async function run(watch: WatchSources | null, place: DemoPlace): Promise<void> {
  const folder = new DemoFolder(place.dir);
  folder.take();
  cleanUp.add(() => folder.release());
  const apps = new Apps(ROOT, folder.dir);
  await apps.stop(); // those of a demo that crashed; its API holds the port
  const port = await apiPort(process.env, place.start);
  const first = new FirstInvoices(step);
  const receiver = await startReceiver(folder.readKept()?.webhook?.port ?? 0, (heard) => {
    const line = lineAbout(heard);
    if (line !== null) step(line);
    if (heard.event !== null && heard.path === SHOP_PATH) first.heard(heard.event);
  });
  cleanUp.add(() => receiver.close());
  const started = await startAll({ folder, apps, receiver, port, command: place.command });
  welcome(started, apps.logDir);
  const api = new StoreApi(started.apiUrl, started.merchant);
  if (watch !== null) develop(started, apps, watch);
  else {
    await first.payOnChain(api, started.node.customer);
    await first.payByLightning(api, started.lightning.customer);
  }
  howToGoOn(started, await api.createInvoice(25_000n, "play", { expiresInSeconds: DAY_SECONDS }), place);
  await showLink(started);
  void fillDashboard(folder, api, started.node);
  const { customer } = started.node;
  if (customer !== null) await blocks.mineForEver(customer, notMined);
}

async function end(code: number): Promise<never> {
  await cleanUp.run();
  return process.exit(code);
}

function stopOnSignals(): void {
  const parent = process.ppid;
  const stop = (): void => {
    if (cleanUp.begun) return;
    say("\nStopping …");
    void end(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  for (const stream of [process.stdout, process.stderr]) stream.on("error", stop); // its reader is gone
  // npm passes no signal on when it is killed itself: then we belong to another parent.
  setInterval(() => process.ppid !== parent && stop(), 1_000).unref();
}

function fail(error: unknown): void {
  if (cleanUp.begun) return; // what broke while it was being stopped
  const known = error instanceof DemoRefusal;
  process.stderr.write(
    `\n${error instanceof Error ? (known ? error.message : error.stack) : String(error)}\n`,
  );
  void end(1);
}

/** With `watch` for `npm run dev`. Ends the process when it is stopped. */
export function startDemo(watch: WatchSources | null, place = repositoryPlace(process.env)): void {
  stopOnSignals();
  process.env["PROCESSES"] = PROCESSES; // for ecosystem.config.js
  run(watch, place).catch(fail);
}
