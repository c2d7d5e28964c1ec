import { connectQueues } from "../../../adapters/queues/connect";
import { type Bench, figure, type Lab, percentile } from "../bench";
import { withFiller } from "../fill/fill";
import { expireAt, fillExpiring } from "../fill/fill-invoices";
import { type Nodes, simulatedNodes } from "../nodes";
import { pause, untilCaughtUp } from "../parts";
import { Arrivals, Receiver } from "../receiver";
import { APPS, type Service, type Store } from "../service";

const INVOICES = 100_000;
/** From the filling's end to the instant at which they expire: their jobs are put into the queue meanwhile. */
const AHEAD_MS = 40_000;
const WITHIN_MS = 300_000;
const JOBS_AT_ONCE = 1_000;
/** The interval between payments. */
const PAY_EVERY_MS = 250;
/** A payment that has not arrived by then counts as this. */
const TOLD_WITHIN_MS = 30_000;

async function register(service: Service, store: Store, url: string, events?: string[]): Promise<string> {
  const asked = { url, ...(events ? { events } : {}) };
  const { status, json } = await service.call<{ webhookId: string }>(store, "POST", "/webhooks", asked);
  if (status !== 201) throw new Error(`webhook: ${status}`);
  return json.webhookId;
}

/** What creation would have put into the queue: a job for each. What cannot be added in time the sweep finds. */
async function enqueueExpiry(
  lab: Lab,
  { databaseUrl }: Service,
  storeId: string,
  atMs: number,
): Promise<void> {
  const config = { DATABASE_URL: databaseUrl, REDIS_URL: lab.servers.redisUrl ?? undefined };
  const log = { debug() {}, info() {}, warn: (_: object, text: string) => lab.say(text), error() {} };
  const queues = connectQueues(config, { log });
  await queues.waitUntilReady();
  const jobs = await withFiller(databaseUrl, async (client) => {
    const text = 'SELECT id AS "invoiceId" FROM invoices WHERE store_id = $1';
    return (await client.query<{ invoiceId: string }>(text, [storeId])).rows;
  });
  for (let at = 0; at < jobs.length; at += JOBS_AT_ONCE) {
    const delayMs = Math.max(0, atMs - Date.now());
    await queues.enqueue("invoice-expiry", jobs.slice(at, at + JOBS_AT_ONCE), { delayMs });
  }
  await queues.close();
}

async function untilDecided(databaseUrl: string, storeId: string, fromMs: number): Promise<number> {
  const text = "SELECT 1 FROM invoices WHERE decide_at IS NOT NULL AND store_id = $1 LIMIT 1";
  return withFiller(databaseUrl, async (client) => {
    while ((await client.query(text, [storeId])).rowCount !== 0) {
      if (Date.now() - fromMs > WITHIN_MS) throw new Error("the invoices were not decided");
      await pause(250);
    }
    return (Date.now() - fromMs) / 1_000;
  });
}

interface Customer {
  service: Service;
  store: Store;
  node: Nodes["node"];
  arrivals: Arrivals;
}

/** From a customer's transaction to the merchant's webhook, in ms. A service that is too busy is as bad as the longest wait. */
async function payOnce({ service, store, node, arrivals }: Customer): Promise<number> {
  const { status, json } = await service.call<{
    invoiceId: string;
    paymentMethods: { destination: string }[];
  }>(store, "POST", "/invoices", { amount: "50000", currency: "SATS" });
  if (status !== 201) return TOLD_WITHIN_MS;
  const told = arrivals.next(json.invoiceId, TOLD_WITHIN_MS);
  const begin = performance.now();
  await node.pay(json.paymentMethods[0]?.destination ?? "", 50_000n);
  return told.then(
    (atMs) => atMs - begin,
    () => TOLD_WITHIN_MS,
  );
}

/** Pays again and again until it is stopped. Resolves when the last one was delivered. */
function keepPaying(customer: Customer): { stop(): Promise<number[]> } {
  const paid: Promise<number>[] = [];
  const timer = setInterval(() => void paid.push(payOnce(customer)), PAY_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return Promise.all(paid);
    },
  };
}

/** Many invoices that are due at the same instant, and customers who pay others meanwhile. */
export const expiry: Bench = {
  name: "expiry",
  title: "Many invoices that expire at one instant",
  async run(lab) {
    const count = lab.size(INVOICES, 500);
    const { node, env } = await simulatedNodes(lab, { lightning: false });
    const service = await lab.startService({ apps: APPS, env });
    const { databaseUrl } = service;
    await untilCaughtUp(databaseUrl);
    const receiver = await Receiver.start(lab);
    const crowd = await service.openStore();
    const live = await service.openStore();
    const webhookId = await register(service, crowd, `${receiver.url}/crowd`);
    await register(service, live, `${receiver.url}/live`, ["Processing"]);
    lab.say(`${count.toLocaleString("en")} invoices that expire together`);
    await fillExpiring(databaseUrl, { ...crowd, webhookId, count });
    const expiresAtMs = Date.now() + lab.size(AHEAD_MS, 5_000);
    await expireAt(databaseUrl, crowd.storeId, expiresAtMs);
    await enqueueExpiry(lab, service, crowd.storeId, expiresAtMs);
    if (Date.now() > expiresAtMs)
      throw new Error("the machine is too busy: their time came before their jobs");
    await pause(expiresAtMs - Date.now() - lab.size(5_000, 500));
    const paying = keepPaying({ service, store: live, node, arrivals: new Arrivals(receiver) });
    await pause(expiresAtMs - Date.now());
    const seconds = await untilDecided(databaseUrl, crowd.storeId, expiresAtMs);
    const tookMs = await paying.stop();
    return [
      figure({
        name: `${count.toLocaleString("en")} invoices, until all are decided`,
        unit: "s",
        ours: [seconds],
        aim: { text: "≤ 180 s", atMost: 180 },
      }),
      figure({
        name: "payment → webhook meanwhile: p99",
        unit: "ms",
        ours: [percentile(tookMs, 0.99)],
        aim: { text: "< 1,000 ms", atMost: 1_000 },
        also: { "p50 ms": percentile(tookMs, 0.5), payments: tookMs.length },
      }),
    ];
  },
};
