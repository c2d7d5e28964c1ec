import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connectQueues } from "../../../adapters/queues/connect";
import { type Bench, type Figure, figure, percentile } from "../bench";
import { untilCaughtUp } from "./block";
import { withFiller } from "../fill/fill";
import { expireAt, fillExpiring } from "../fill/fill-invoices";
import type { Lab } from "../lab";
import { type Nodes, simulatedNodes } from "../nodes";
import { pause } from "../parts";
import { ALL_APPS, type Service, type Store } from "../service";

const INVOICES = 100_000;
/** From the filling's end to the instant at which they expire: their jobs are put into the queue meanwhile. */
const AHEAD_MS = 40_000;
const WITHIN_MS = 300_000;
const JOBS_AT_ONCE = 1_000;
/** The interval between payments. */
const PAY_EVERY_MS = 250;
/** A payment that has not arrived by then counts as this. */
const TOLD_WITHIN_MS = 30_000;

/** Many invoices that are due at the same instant, and customers who pay others meanwhile. */
export const expiry: Bench = {
  name: "expiry",
  title: "Many invoices that expire at one instant",
  usesQueues: true,
  async run(lab) {
    const count = lab.size(lab.queues === "redis" ? INVOICES : INVOICES / 5, 500);
    const nodes = await simulatedNodes(lab, { lightning: false });
    const apps = ALL_APPS.filter((app) => app !== "lightning-watch");
    const service = await lab.startService({ apps, env: nodes.env });
    await untilCaughtUp(service.databaseUrl);
    const arrivals = await Arrivals.listen(lab);
    const crowd = await service.openStore();
    const live = await service.openStore();
    const webhookId = await register(service, crowd, `${arrivals.url}/crowd`);
    await register(service, live, `${arrivals.url}/live`);
    lab.say(`${count.toLocaleString("en")} invoices that expire together`);
    await fillExpiring(service.databaseUrl, { ...crowd, webhookId, count });
    const expiresAtMs = Date.now() + lab.size(AHEAD_MS, 5_000);
    await expireAt(service.databaseUrl, crowd.storeId, expiresAtMs);
    await enqueueExpiry(lab, service, crowd.storeId, expiresAtMs);
    if (Date.now() > expiresAtMs)
      throw new Error("the machine is too busy: their time came before their jobs");
    lab.say(`${((expiresAtMs - Date.now()) / 1_000).toFixed(1)} s before their time`);
    await pause(expiresAtMs - Date.now() - lab.size(5_000, 500));
    const customers = new Customers(service, live, nodes, arrivals);
    const paying = customers.pay();
    await pause(expiresAtMs - Date.now());
    const { seconds, decided } = await untilDecided(service, crowd, count, expiresAtMs);
    lab.noteMemory("100,000 invoices expiring", service.memory());
    customers.stop();
    await paying;
    return figuresOf(lab, { count, seconds, decided }, await rawLimit(service, crowd), customers.tookMs);
  },
};

function figuresOf(
  lab: Lab,
  { count, seconds, decided }: { count: number; seconds: number; decided: number },
  rawSeconds: number,
  tookMs: readonly number[],
): Figure[] {
  const aimed = lab.queues === "redis" && !lab.quick;
  const invoices = count.toLocaleString("en");
  return [
    figure({
      name: `${invoices} invoices, until all are decided`,
      unit: "s",
      ours: [seconds],
      raw: {
        what: "a bare UPDATE of them and INSERT of as many events and deliveries",
        rounds: [rawSeconds],
      },
      aim: aimed ? { text: "≤ 180 s", atMost: 180, and: decided === count } : undefined,
      also: { decided, "a second": decided / seconds },
    }),
    figure({
      name: "payment → webhook meanwhile, p99",
      unit: "ms",
      ours: [percentile(tookMs, 0.99)],
      aim: aimed ? { text: "< 1,000 ms", atMost: 1_000 } : undefined,
      also: { p50: percentile(tookMs, 0.5), payments: tookMs.length },
    }),
  ];
}

async function register(service: Service, store: Store, url: string): Promise<string> {
  const { status, json } = await service.call<{ webhookId: string }>(store, "POST", "/webhooks", { url });
  if (status !== 201) throw new Error(`webhook: ${status}`);
  return json.webhookId;
}

/** What creation would have put into the queue: a job for each. What cannot be added in time the sweep finds. */
async function enqueueExpiry(lab: Lab, service: Service, storeId: string, atMs: number): Promise<void> {
  const config = {
    DATABASE_URL: service.databaseUrl,
    REDIS_URL: service.environment()["REDIS_URL"] || undefined,
  };
  const log = { debug() {}, info() {}, warn: (_: object, text: string) => lab.say(text), error() {} };
  const queues = connectQueues(config, { log });
  await queues.waitUntilReady();
  const jobs = await withFiller(service.databaseUrl, async (client) => {
    const text = 'SELECT id AS "invoiceId" FROM invoices WHERE store_id = $1';
    return (await client.query<{ invoiceId: string }>(text, [storeId])).rows;
  });
  for (let at = 0; at < jobs.length; at += JOBS_AT_ONCE) {
    const delayMs = Math.max(0, atMs - Date.now());
    await queues.enqueue("invoice-expiry", jobs.slice(at, at + JOBS_AT_ONCE), { delayMs });
  }
  await queues.close();
}

async function untilDecided(
  { databaseUrl }: Service,
  { storeId }: Store,
  count: number,
  fromMs: number,
): Promise<{ seconds: number; decided: number }> {
  return withFiller(databaseUrl, async (client) => {
    for (;;) {
      const { rows } = await client.query<{ left: number }>(
        "SELECT count(*)::int AS left FROM invoices WHERE decide_at IS NOT NULL AND store_id = $1",
        [storeId],
      );
      const left = rows[0]?.left ?? 0;
      const seconds = (Date.now() - fromMs) / 1_000;
      if (left === 0 || seconds * 1_000 > WITHIN_MS) return { seconds, decided: count - left };
      await pause(250);
    }
  });
}

/** Only the rows, as quickly as Postgres writes them. */
async function rawLimit({ databaseUrl }: Service, { storeId }: Store): Promise<number> {
  return withFiller(databaseUrl, async (client) => {
    await client.query("SET synchronous_commit = on");
    const begin = performance.now();
    await client.query("BEGIN");
    await client.query("UPDATE invoices SET status = 'Expired', decide_at = expires_at WHERE store_id = $1", [
      storeId,
    ]);
    await client.query(
      `WITH told AS (
         INSERT INTO invoice_events (id, store_id, invoice_id, type, additional_status, round, body, created_at)
         SELECT 'evt_raw' || id, store_id, id, 'Expired', 'None', 2, convert_to(metadata, 'UTF8'), clock_timestamp()
           FROM invoices WHERE store_id = $1 RETURNING id, seq, store_id, invoice_id)
       INSERT INTO webhook_deliveries (id, event_id, event_seq, webhook_id, store_id, invoice_id, created_at)
       SELECT 'whd_raw' || invoice_id, id, seq, 'whk_raw', store_id, invoice_id, clock_timestamp() FROM told`,
      [storeId],
    );
    await client.query("COMMIT");
    return (performance.now() - begin) / 1_000;
  });
}

/** The receiver of the webhooks, and when each came. */
class Arrivals {
  private readonly waiting = new Map<string, () => void>();

  private constructor(readonly url: string) {}

  static async listen(lab: Lab): Promise<Arrivals> {
    let arrivals: Arrivals | null = null;
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        response.end();
        if (request.url === "/live") arrivals?.take(Buffer.concat(chunks).toString());
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    lab.onEnd(() => void server.close().closeAllConnections());
    arrivals = new Arrivals(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return arrivals;
  }

  next(invoiceId: string, type: string): Promise<void> {
    return new Promise((resolve) => this.waiting.set(`${invoiceId} ${type}`, resolve));
  }

  private take(body: string): void {
    const { invoiceId, type } = JSON.parse(body) as { invoiceId: string; type: string };
    const key = `${invoiceId} ${type}`;
    this.waiting.get(key)?.();
    this.waiting.delete(key);
  }
}

/** From the customer's transaction to the merchant's webhook, again and again. */
class Customers {
  readonly tookMs: number[] = [];
  #stopped = false;

  constructor(
    private readonly service: Service,
    private readonly store: Store,
    private readonly nodes: Nodes,
    private readonly arrivals: Arrivals,
  ) {}

  stop(): void {
    this.#stopped = true;
  }

  /** Resolves when the last paid before `stop` was delivered, or 30 s later. */
  async pay(): Promise<void> {
    const paid: Promise<void>[] = [];
    while (!this.#stopped) {
      paid.push(this.#payOne());
      await pause(PAY_EVERY_MS);
    }
    await Promise.all(paid);
  }

  async #payOne(): Promise<void> {
    const { status, json } = await this.service.call<{
      invoiceId: string;
      paymentMethods: { destination: string }[];
    }>(this.store, "POST", "/invoices", { amount: "50000", currency: "SATS" });
    // The service was too busy: as bad as the longest wait.
    if (status !== 201) return void this.tookMs.push(TOLD_WITHIN_MS);
    const told = this.arrivals.next(json.invoiceId, "Processing");
    await this.nodes.pay(json.paymentMethods[0]?.destination ?? "", 50_000n);
    const begin = performance.now();
    await Promise.race([told, pause(TOLD_WITHIN_MS)]);
    this.tookMs.push(performance.now() - begin);
  }
}
