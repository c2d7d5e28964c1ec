import { createHmac } from "node:crypto";
import pg from "pg";
import { Subscriber } from "zeromq";
import { type Bench, type Figure, figure, medianOf, percentile } from "../bench";
import { createInvoices } from "./creation";
import type { Lab } from "../lab";
import { steadily } from "./load";
import { type Nodes, realNodes, simulatedNodes } from "../nodes";
import { pause, send } from "../parts";
import { Arrivals, startReceiver, type BenchReceiver } from "../receiver";
import { ALL_APPS, type Service, type Store } from "../service";

const PRICE_SATS = 21_000n;
const LOAD_PER_SECOND = 200;
/** bitcoind takes no more than 25 unconfirmed transactions in a row. */
const MINE_EVERY = 10;

interface PayableInvoice {
  invoiceId: string;
  paymentMethods: { type: string; destination: string | null }[];
}

export interface Road {
  name: string;
  type: "BTC-CHAIN" | "BTC-LN";
  /** What its invoices can be paid by; both where absent. */
  paymentMethods?: readonly ("BTC-CHAIN" | "BTC-LN")[];
  pay(nodes: Nodes, destination: string): Promise<unknown>;
}

export const ROADS: readonly Road[] = [
  {
    name: "a transaction enters the mempool",
    type: "BTC-CHAIN",
    pay: (nodes, address) => nodes.pay(address, PRICE_SATS),
  },
  { name: "LND settles", type: "BTC-LN", pay: (nodes, bolt11) => nodes.settle(bolt11) },
];

export interface Parts {
  lab: Lab;
  nodes: Nodes;
  service: Service;
  store: Store;
  receiver: BenchReceiver;
  arrivals: Arrivals;
  /** The nodes are bitcoind and lnd. */
  real: boolean;
}

async function newInvoice({ service, store }: Parts, { paymentMethods }: Road): Promise<PayableInvoice> {
  const body = { amount: String(PRICE_SATS), currency: "SATS", paymentMethods };
  const { status, json } = await service.call<PayableInvoice>(store, "POST", "/invoices", body);
  if (status !== 201) throw new Error(`an invoice was answered with ${status}`);
  return json;
}

/** What else is measured of each payment. */
interface PaymentHooks {
  asked(): void;
  arrived(tookMs: number): void;
}

/** From just before the customer's node is asked to pay until the webhook has come, for each of so many payments. */
export async function payments(
  parts: Parts,
  road: Road,
  count: number,
  hooks?: PaymentHooks,
): Promise<number[]> {
  const took: number[] = [];
  for (let done = 0; done < count; done += 1) {
    const { invoiceId, paymentMethods } = await newInvoice(parts, road);
    const destination = paymentMethods.find(({ type }) => type === road.type)?.destination;
    if (!destination) throw new Error(`${invoiceId} has no ${road.type}`);
    await settle(parts, done);
    const arrived = parts.arrivals.next(invoiceId);
    hooks?.asked();
    const begin = performance.now();
    await road.pay(parts.nodes, destination);
    const tookMs = (await arrived) - begin;
    hooks?.arrived(tookMs);
    took.push(tookMs);
  }
  return took;
}

/** The invoice's creation has ended in every process, and so has the block that real nodes need now and then. */
async function settle({ nodes, real }: Parts, done: number): Promise<void> {
  if (real && done % MINE_EVERY === MINE_EVERY - 1) {
    await nodes.mine(1);
    await pause(1_000);
  }
  await pause(30);
}

/** What the machine needs at least: the node's own message, one committed INSERT, one signed POST on a fresh connection. */
async function bareRounds(parts: Parts, road: Road, count: number): Promise<number[]> {
  const { lab, nodes, service, receiver, arrivals } = parts;
  const db = new pg.Client({ connectionString: service.databaseUrl });
  await db.connect();
  await db.query("CREATE TABLE IF NOT EXISTS bench_news (id text PRIMARY KEY, raw bytea)");
  const heard = new Subscriber({ linger: 0 });
  heard.connect(nodes.zmq.rawtx);
  heard.subscribe("rawtx");
  const took: number[] = [];
  try {
    await pause(lab.size(200, 100)); // the subscription has reached the node
    for (let done = 0; done < count; done += 1) {
      const way = `/bare-${performance.now()}`;
      const bareNews = await prepareNews(parts, road, heard);
      await settle(parts, done);
      const arrived = arrivals.next(way);
      const begin = performance.now();
      const raw = await bareNews();
      await db.query("INSERT INTO bench_news VALUES ($1, $2)", [way, raw]);
      const signature = createHmac("sha256", "secret").update(raw).digest("hex");
      await send(`${receiver.url}${way}`, "POST", { "x-service-sig": signature }, { way });
      took.push((await arrived) - begin);
    }
  } finally {
    heard.close();
    await db.end();
  }
  return took;
}

/** A payment that is no invoice's on-chain; by Lightning, where every payment is one's, the invoice is ours to settle. */
async function prepareNews(parts: Parts, road: Road, heard: Subscriber): Promise<() => Promise<Buffer>> {
  if (road.type === "BTC-LN") {
    const { paymentMethods } = await newInvoice(parts, road);
    const bolt11 = paymentMethods.find(({ type }) => type === "BTC-LN")?.destination ?? "";
    return async () => Buffer.from(await parts.nodes.settle(bolt11));
  }
  return async () => {
    const [, [, raw = Buffer.alloc(0)]] = await Promise.all([
      parts.nodes.pay(OTHERS_ADDRESS, PRICE_SATS),
      heard.receive() as Promise<Buffer[]>,
    ]);
    return raw;
  };
}

/** BIP 173's example on regtest. */
const OTHERS_ADDRESS = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";

interface Asked {
  name: string;
  rounds: number;
  payments: number;
  loaded: boolean;
  aimed: boolean;
}

/** Idle, by the simulated nodes: the bound of the 50th and of the 99th percentile, in ms. */
const AIMS: Readonly<Record<Road["type"], { p50Ms: number; p99Ms: number; text: string }>> = {
  "BTC-CHAIN": { p50Ms: 35, p99Ms: 90, text: "p50 ≤ 35 ms, p99 ≤ 90 ms" },
  "BTC-LN": { p50Ms: Infinity, p99Ms: 60, text: "p99 ≤ 60 ms" },
};

async function measure(parts: Parts, road: Road, asked: Asked): Promise<Figure> {
  const { lab, service, store } = parts;
  const other = await service.openStore();
  const agent = { "x-api-key": other.apiKey };
  const url = `${service.base}/api/v1/stores/${other.storeId}/invoices`;
  const make = (): Promise<unknown> =>
    send(url, "POST", agent, { amount: "21000", currency: "SATS", metadata: { of: store.storeId } });
  const ours: number[][] = [];
  const bare: number[][] = [];
  for (let round = 0; round < asked.rounds; round += 1) {
    const others = asked.loaded ? steadily(LOAD_PER_SECOND, make) : null;
    ours.push(await payments(parts, road, asked.payments));
    lab.noteMemory(asked.loaded ? "200 invoices/s and payments" : "payments", service.memory());
    if (others !== null && (await others.stop()) > 0) throw new Error("invoices were refused under load");
    bare.push(await bareRounds(parts, road, asked.payments));
  }
  const share = (rounds: readonly number[][], of: number): number[] =>
    rounds.map((round) => percentile(round, of));
  const name = `from when ${road.name}, ${asked.name}: p99`;
  const p50Ms = medianOf(share(ours, 0.5));
  const aim = AIMS[road.type];
  lab.say(`${name} ${medianOf(share(ours, 0.99)).toFixed(0)} ms`);
  return figure({
    name,
    unit: "ms",
    ours: share(ours, 0.99),
    raw: { what: "the node's message, one INSERT, one signed POST", rounds: share(bare, 0.99) },
    also: { "p50 ms": p50Ms, "raw p50 ms": medianOf(share(bare, 0.5)) },
    aim: asked.aimed ? { text: aim.text, atMost: aim.p99Ms, and: p50Ms <= aim.p50Ms } : undefined,
  });
}

export async function startParts(
  lab: Lab,
  { nodes, real, databaseUrl }: Pick<Parts, "nodes" | "real"> & { databaseUrl?: string },
): Promise<Parts> {
  const receiver = await startReceiver(lab);
  const service = await lab.startService({
    apps: ALL_APPS,
    env: nodes.env,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  });
  const store = await service.openStore({ lightning: true });
  const events = ["Processing", "Settled"];
  await service.call(store, "POST", "/webhooks", { url: `${receiver.url}/shop`, events });
  const parts: Parts = { lab, nodes, service, store, receiver, arrivals: new Arrivals(receiver), real };
  await createInvoices(service, store, lab.size(1, 0.2)); // warm
  for (const road of ROADS) await payments(parts, road, lab.size(5, 1));
  return parts;
}

async function withSimulatedNodes(lab: Lab): Promise<Figure[]> {
  const parts = await startParts(lab, { nodes: await simulatedNodes(lab, { lightning: true }), real: false });
  const figures: Figure[] = [];
  for (const loaded of lab.quick ? [false] : [false, true])
    for (const road of ROADS)
      figures.push(
        await measure(parts, road, {
          name: loaded ? `under ${LOAD_PER_SECOND} invoices/s` : "idle",
          rounds: lab.rounds,
          payments: lab.size(40, 3),
          loaded,
          aimed: !loaded,
        }),
      );
  return figures;
}

/** None where there are no such nodes. */
async function withRealNodes(lab: Lab): Promise<Figure[]> {
  const nodes = await realNodes(lab);
  if (nodes === null) return [];
  const parts = await startParts(lab, { nodes, real: true });
  const asked = { name: "with bitcoind and lnd, idle", rounds: 1, payments: 60 };
  const figures: Figure[] = [];
  for (const road of ROADS)
    figures.push(await measure(parts, road, { ...asked, loaded: false, aimed: false }));
  return figures;
}

export const latency: Bench = {
  name: "latency",
  title: "From a payment to its webhook",
  usesQueues: true,
  async run(lab) {
    const simulated = await lab.apart(withSimulatedNodes);
    if (lab.quick || lab.queues !== "redis") return simulated;
    return [...simulated, ...(await lab.apart(withRealNodes))];
  },
};
