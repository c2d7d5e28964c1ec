import { inTransaction } from "../../../commands/transaction";
import { once } from "node:events";
import { createServer } from "node:net";
import pg from "pg";
import { insertNode } from "../../../commands/lightning/lightning-node";
import { withContext } from "../../cli/context";
import { SimulatedLnd } from "../../devnet/lightning/simulated-lnd";
import { type Bench, figure, type Figure, type Lab, percentile } from "../bench";
import { simulatedNodes } from "../nodes";
import { pause, peakMb } from "../parts";
import { processorMs } from "../processor-time";
import { Arrivals, Receiver } from "../receiver";
import { APPS_WITH_LIGHTNING, type Service, type Store } from "../service";

const NODES = 1_000;
const QUICK_NODES = 20;
/** Of each kind of trouble: nodes that hang, and nodes that refuse. */
const SHARE = 0.1;
const REFUSING = "127.0.0.1:1";
const BACK_WITHIN_MS = 60_000;
const MOST_MB = 290;
const MOST_RATIO = 4;

interface Parts {
  lab: Lab;
  service: Service;
  store: Store;
  db: pg.Client;
  arrivals: Arrivals;
}

interface Merchant {
  id: string;
  node: SimulatedLnd;
}

async function hangingAddress(lab: Lab): Promise<string> {
  const server = createServer((socket) => void socket.on("error", () => undefined));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  lab.onEnd(() => void server.close());
  const address = server.address();
  return `127.0.0.1:${typeof address === "object" ? String(address?.port) : ""}`;
}

/** All of one store, which moves from one to the other: what is measured is the watching. */
async function connect({ lab, service, store }: Parts, count: number): Promise<Merchant[]> {
  const hanging = await hangingAddress(lab);
  const troubled = Math.floor(count * SHARE);
  const terminal = { env: service.environment(), out: () => undefined, err: () => undefined };
  return withContext(terminal, ["APP_SECRET"], async (ctx) => {
    const merchants: Merchant[] = [];
    for (let number = 0; number < count; number += 1) {
      const node = number < 2 * troubled ? null : await SimulatedLnd.start();
      if (node !== null) lab.onEnd(() => node.stop());
      const { id } = await inTransaction(ctx, (tx) =>
        insertNode(tx, {
          storeId: store.storeId,
          address: node?.grpc.url ?? (number < troubled ? hanging : REFUSING),
          tlsCertificate: node?.grpc.tlsCert ?? null,
          macaroon: node?.grpc.adminMacaroon.toString("hex") ?? "00",
          nodeKey: node?.nodeKey ?? null,
          network: "regtest",
        }),
      );
      if (node !== null) merchants.push({ id, node });
    }
    return merchants;
  });
}

/** Milliseconds until all these are watched, by their rows. */
async function watched({ db }: Parts, merchants: readonly Merchant[], since: Date): Promise<number> {
  const began = performance.now();
  const ids = merchants.map(({ id }) => id);
  for (;;) {
    const { rows } = await db.query<{ left: number }>(
      `SELECT count(*)::int AS left FROM lightning_nodes
        WHERE id = ANY($1) AND NOT (synchronized AND caught_up_to > $2)`,
      [ids, since],
    );
    const took = performance.now() - began;
    if (rows[0]?.left === 0) return took;
    if (took > 5 * BACK_WITHIN_MS) throw new Error(`${rows[0]?.left ?? 0} nodes are not watched`);
    await pause(250);
  }
}

/** From the settlement at one of the nodes to the webhook, in milliseconds. */
async function payments(parts: Parts, merchants: readonly Merchant[], count: number): Promise<number[]> {
  const { service, store, db, arrivals } = parts;
  const took: number[] = [];
  for (let done = 0; done < count; done += 1) {
    const merchant = merchants[Math.floor((done * merchants.length) / count)] as Merchant;
    await db.query("UPDATE store_payment_methods SET lightning_node_id = $1 WHERE type = 'BTC-LN'", [
      merchant.id,
    ]);
    const body = { amount: "21000", currency: "SATS", paymentMethods: ["BTC-LN"] };
    const { json } = await service.call<{ invoiceId: string; paymentMethods: { destination: string }[] }>(
      store,
      "POST",
      "/invoices",
      body,
    );
    await pause(30);
    const arrived = arrivals.next(json.invoiceId);
    const began = performance.now();
    await merchant.node.pay(json.paymentMethods[0]?.destination ?? "");
    took.push((await arrived) - began);
  }
  return took;
}

/** Processor time of lightning-watch alone, whatever else the machine does: in % of one core. */
async function atRest({ lab, service }: Parts, ms: number): Promise<number> {
  const spentMs = (): number => processorMs(service, lab.servers).get("lightning-watch") ?? NaN;
  const [began, before] = [performance.now(), spentMs()];
  await pause(ms);
  return ((spentMs() - before) * 100) / (performance.now() - began);
}

async function measure(parts: Parts): Promise<Figure[]> {
  const { lab, service, db } = parts;
  const nowOf = async (): Promise<Date> =>
    (await db.query<{ now: Date }>("SELECT now()")).rows[0]?.now as Date;
  const count = lab.size(NODES, QUICK_NODES);
  const paid = lab.size(200, 5);
  const began = await nowOf();
  const alone = await connect(parts, 1);
  await watched(parts, alone, began);
  const one = percentile(await payments(parts, alone, paid), 0.99);
  const merchants = await connect(parts, count);
  lab.say(`${count} nodes connected`);
  await watched(parts, merchants, began);
  await service.stopApp("lightning-watch");
  const since = await nowOf();
  await service.startApp("lightning-watch");
  const back = await watched(parts, merchants, since);
  lab.say(`all streams back after ${back.toFixed(0)} ms`);
  const many = percentile(await payments(parts, merchants, paid), 0.99);
  const spent = await atRest(parts, lab.size(30_000, 500));
  const watcher = service.pids().find(([app]) => app === "lightning-watch")?.[1] ?? 0;
  const name = `${count} nodes, of which a tenth hang and a tenth refuse`;
  return [
    figure({
      name: `LND settles, ${name}: p99`,
      unit: "ms",
      ours: [many],
      raw: { what: "with one node", rounds: [one] },
      aim: { text: `≤ ${MOST_RATIO} × that with one node`, ratioAtMost: MOST_RATIO },
    }),
    figure({
      name: `all streams are back after a restart, ${name}`,
      unit: "ms",
      ours: [back],
      aim: { text: "≤ 60 s", atMost: BACK_WITHIN_MS },
    }),
    figure({ name: `lightning-watch at rest, ${name}: processor time`, unit: "%", ours: [spent] }),
    figure({
      name: `lightning-watch, ${name}, at its largest`,
      unit: "MB",
      ours: [peakMb(watcher)],
      aim: { text: `< ${MOST_MB} MB`, atMost: MOST_MB },
    }),
  ];
}

export const lightningNodes: Bench = {
  name: "lightning-nodes",
  title: "Many Lightning nodes",
  async run(lab) {
    const { env } = await simulatedNodes(lab, { lightning: true });
    const receiver = await Receiver.start(lab);
    const service = await lab.startService({ apps: APPS_WITH_LIGHTNING, env });
    const store = await service.openStore({ lightning: true });
    await service.call(store, "POST", "/webhooks", { url: `${receiver.url}/shop`, events: ["Settled"] });
    const db = new pg.Client({ connectionString: service.databaseUrl });
    await db.connect();
    lab.onEnd(() => db.end());
    return measure({ lab, service, store, db, arrivals: new Arrivals(receiver) });
  },
};
