import { createHmac } from "node:crypto";
import pg from "pg";
import { Subscriber } from "zeromq";
import { type Bench, type Figure, figure, type Lab, medianOf, percentile } from "../bench";
import { type CountedDatabase, countRoundTrips } from "../count-round-trips";
import { type Nodes, simulatedNodes } from "../nodes";
import { pause, send } from "../parts";
import { Arrivals, Receiver } from "../receiver";
import { APPS_WITH_LIGHTNING, type Service, type Store } from "../service";
import { createInvoices } from "./creation";

const PRICE_SATS = 21_000n;
/** BIP 173's example on regtest. */
const OTHERS_ADDRESS = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";

interface PayableInvoice {
  invoiceId: string;
  paymentMethods: { type: string; destination: string }[];
}

interface Road {
  name: string;
  type: "BTC-CHAIN" | "BTC-LN";
  pay(nodes: Nodes, destination: string): Promise<unknown>;
  /** How many times the raw limit the 50th and the 99th percentile may be. */
  aim: { p50: number; p99: number; text: string };
}

const CHAIN: Road = {
  name: "a transaction enters the mempool",
  type: "BTC-CHAIN",
  pay: ({ node }, address) => node.pay(address, PRICE_SATS),
  aim: { p50: 6, p99: 7, text: "p50 ≤ 6 ×, p99 ≤ 7 × the raw limit" },
};
const LIGHTNING: Road = {
  name: "LND settles",
  type: "BTC-LN",
  pay: ({ lnd }, bolt11) => lnd.pay(bolt11),
  aim: { p50: Infinity, p99: 5, text: "p99 ≤ 5 × the raw limit" },
};
const ROADS = [CHAIN, LIGHTNING];

interface Parts {
  lab: Lab;
  nodes: Nodes;
  service: Service;
  store: Store;
  receiver: Receiver;
  arrivals: Arrivals;
}

async function newInvoice({ service, store }: Parts, road: Road): Promise<[id: string, destination: string]> {
  const body = { amount: String(PRICE_SATS), currency: "SATS" };
  const { status, json } = await service.call<PayableInvoice>(store, "POST", "/invoices", body);
  const destination = json.paymentMethods.find(({ type }) => type === road.type)?.destination;
  if (status !== 201 || !destination) throw new Error(`an invoice was answered with ${status}`);
  return [json.invoiceId, destination];
}

/** From just before the customer's node is asked to pay until the webhook has come, for each of so many payments. */
async function payments(parts: Parts, road: Road, count: number): Promise<number[]> {
  const took: number[] = [];
  for (let done = 0; done < count; done += 1) {
    const [invoiceId, destination] = await newInvoice(parts, road);
    await pause(30); // the invoice's creation has ended in every process
    const arrived = parts.arrivals.next(invoiceId);
    const begin = performance.now();
    await road.pay(parts.nodes, destination);
    took.push((await arrived) - begin);
  }
  return took;
}

/** What the machine needs at least: the node's own message, one committed INSERT, one signed POST on a fresh connection. */
async function bareRounds(parts: Parts, road: Road, count: number): Promise<number[]> {
  const { lab, nodes, service, receiver, arrivals } = parts;
  const db = new pg.Client({ connectionString: service.databaseUrl });
  await db.connect();
  await db.query("CREATE TABLE IF NOT EXISTS bench_news (id text PRIMARY KEY, raw bytea)");
  const heard = new Subscriber({ linger: 0 });
  heard.connect(nodes.node.zmqUrls.rawtx);
  heard.subscribe("rawtx");
  const took: number[] = [];
  try {
    await pause(lab.size(200, 100)); // the subscription has reached the node
    for (let done = 0; done < count; done += 1) {
      const way = `/bare-${performance.now()}`;
      const news = await prepareNews(parts, road, heard);
      await pause(30);
      const arrived = arrivals.next(way);
      const begin = performance.now();
      const raw = await news();
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
  const { node, lnd } = parts.nodes;
  if (road.type === "BTC-LN") {
    const [, bolt11] = await newInvoice(parts, road);
    return async () => Buffer.from((await lnd.pay(bolt11)).preimage);
  }
  return async () => {
    const [, [, raw = Buffer.alloc(0)]] = await Promise.all([
      node.pay(OTHERS_ADDRESS, PRICE_SATS),
      heard.receive() as Promise<Buffer[]>,
    ]);
    return raw;
  };
}

async function measure(parts: Parts, road: Road): Promise<Figure> {
  const { lab } = parts;
  const ours: number[][] = [];
  const bare: number[][] = [];
  for (let round = 0; round < lab.rounds; round += 1) {
    ours.push(await payments(parts, road, lab.size(40, 3)));
    bare.push(await bareRounds(parts, road, lab.size(40, 3)));
  }
  const share = (rounds: readonly number[][], of: number): number[] =>
    rounds.map((round) => percentile(round, of));
  const p50 = medianOf(share(ours, 0.5));
  const rawP50 = medianOf(share(bare, 0.5));
  const name = `${road.name}: p99`;
  lab.say(`${name} ${medianOf(share(ours, 0.99)).toFixed(0)} ms`);
  const { text, p99: ratioAtMost, p50: p50AtMost } = road.aim;
  return figure({
    name,
    unit: "ms",
    ours: share(ours, 0.99),
    raw: { what: "the node's message, one INSERT, one signed POST", rounds: share(bare, 0.99) },
    also: { "p50 ms": p50, "raw p50 ms": rawP50 },
    aim: { text, ratioAtMost, and: p50 <= p50AtMost * rawP50 },
  });
}

async function openStore(
  { service, receiver }: Pick<Parts, "service" | "receiver">,
  methods: { lightning: boolean },
): Promise<Store> {
  const store = await service.openStore(methods);
  const hook = { url: `${receiver.url}/shop`, events: ["Processing", "Settled"] };
  await service.call(store, "POST", "/webhooks", hook);
  return store;
}

async function start(lab: Lab, databaseUrl: string): Promise<Parts> {
  const receiver = await Receiver.start(lab);
  const nodes = await simulatedNodes(lab, { lightning: true });
  const service = await lab.startService({ apps: APPS_WITH_LIGHTNING, env: nodes.env, databaseUrl });
  const store = await openStore({ service, receiver }, { lightning: true });
  const parts = { lab, nodes, service, store, receiver, arrivals: new Arrivals(receiver) };
  await createInvoices(service, store, lab.size(1, 0.2)); // warm
  for (const road of ROADS) await payments(parts, road, lab.size(5, 1));
  return parts;
}

/** Of a payment on-chain, without what all processes ask Postgres when nothing happens. */
async function measureRoundTrips(lab: Lab): Promise<Figure[]> {
  const database = await countRoundTrips(lab, await lab.newDatabase());
  const parts = await start(lab, database.url);
  const idleMs = lab.size(5_000, 500);
  const before = database.count().roundTrips;
  await pause(idleMs);
  const idle = (database.count().roundTrips - before) / idleMs;
  const name = "round trips to Postgres until its webhook is sent";
  const onChain = { ...parts, store: await openStore(parts, { lightning: false }) };
  return [
    figure({
      name,
      unit: "round trips",
      ours: await roundTrips(onChain, database, idle),
      also: { "idle, a second": idle * 1_000 },
      aim: { text: "≤ 20", atMost: 20 },
    }),
    figure({
      name: `${name}, with those that end its BOLT11 meanwhile`,
      unit: "round trips",
      ours: await roundTrips(parts, database, idle),
    }),
  ];
}

/** `idle`: those of a millisecond in which nothing happens. */
async function roundTrips(parts: Parts, database: CountedDatabase, idle: number): Promise<number[]> {
  const { lab } = parts;
  const ours: number[] = [];
  for (let done = 0; done < lab.size(40, 3); done += 1) {
    const [invoiceId, address] = await newInvoice(parts, CHAIN);
    await pause(100);
    const arrived = parts.arrivals.next(invoiceId);
    const [begin, asked] = [performance.now(), database.count().roundTrips];
    await CHAIN.pay(parts.nodes, address);
    const tookMs = (await arrived) - begin;
    ours.push(database.count().roundTrips - asked - idle * tookMs);
  }
  return ours;
}

export const latency: Bench = {
  name: "latency",
  title: "From a payment to its webhook",
  async run(lab) {
    const figures = await lab.apart(async (part) => {
      const parts = await start(part, await part.newDatabase());
      const made: Figure[] = [];
      for (const road of ROADS) made.push(await measure(parts, road));
      return made;
    });
    // Queues on Postgres share its connections.
    if (lab.servers.redisUrl === null) return figures;
    return [...figures, ...(await lab.apart(measureRoundTrips))];
  },
};
