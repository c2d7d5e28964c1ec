import path from "node:path";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { freePort } from "../../devnet/free-port";
import { type Bench, type Figure, figure, medianOf } from "../bench";
import { ROOT } from "../build";
import type { Lab } from "../lab";
import { load, type Loaded } from "./load";
import { type Nodes, realNodes, simulatedNodes } from "../nodes";
import { ALL_APPS, endChild, type Service, type Store } from "../service";

const CONNECTIONS = 32;

interface Case {
  name: string;
  processes: 1 | 2;
  lightning: boolean;
  nodes(lab: Lab): Promise<Nodes | null>;
  aimed: boolean;
  onPostgresToo: boolean;
}

const simulated = (lightning: boolean, addInvoiceMs = 0) => {
  return (lab: Lab): Promise<Nodes> => simulatedNodes(lab, { lightning, addInvoiceMs });
};

const CASES: readonly Case[] = [
  {
    name: "on-chain, one API process",
    ...{ processes: 1, lightning: false, nodes: simulated(false), aimed: true, onPostgresToo: true },
  },
  {
    name: "on-chain, two API processes",
    ...{ processes: 2, lightning: false, nodes: simulated(false), aimed: true, onPostgresToo: true },
  },
  {
    name: "with Lightning (simulated, 0 ms), one API process",
    ...{ processes: 1, lightning: true, nodes: simulated(true), aimed: false, onPostgresToo: true },
  },
  {
    name: "with Lightning (simulated, 5 ms), one API process",
    ...{ processes: 1, lightning: true, nodes: simulated(true, 5), aimed: false, onPostgresToo: false },
  },
  {
    name: "with Lightning (simulated, 5 ms), two API processes",
    ...{ processes: 2, lightning: true, nodes: simulated(true, 5), aimed: false, onPostgresToo: false },
  },
  {
    name: "with bitcoind and lnd, two API processes",
    ...{ processes: 2, lightning: true, nodes: realNodes, aimed: false, onPostgresToo: false },
  },
];

/** What a shop sends. */
const bodyOf = (number: number): string =>
  JSON.stringify({
    amount: "21000",
    currency: "SATS",
    metadata: { orderId: `order-${number}`, cart: ["coffee", "cake"] },
    redirectUrl: "https://shop.example/thanks",
  });

export function createInvoices(service: Service, store: Store, seconds: number): Promise<Loaded> {
  return load({
    connections: CONNECTIONS,
    seconds,
    url: `${service.base}/api/v1/stores/${store.storeId}/invoices`,
    method: "POST",
    headers: { "x-api-key": store.apiKey },
    body: bodyOf,
    status: 201,
  });
}

/** The same rows by the bare route. */
export type CreateRaw = (seconds: number) => Promise<Loaded>;

/**
 * Starts the bare route in as many processes, on the same database; it copies an existing invoice, and makes one
 * signed POST when it has an address.
 */
export async function startRaw(
  lab: Lab,
  service: Service,
  processes: number,
  webhookUrl = "",
): Promise<CreateRaw> {
  const port = await freePort();
  const file = path.join(__dirname, "raw-creation.ts");
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "scripts/bench/cluster.cjs", file, String(processes)],
    {
      cwd: ROOT,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      env: {
        ...process.env,
        DATABASE_URL: service.databaseUrl,
        PORT: String(port),
        POOL_MAX: "5",
        WEBHOOK_URL: webhookUrl,
      },
    },
  );
  lab.onEnd(() => endChild(child));
  await once(child, "message");
  const url = `http://127.0.0.1:${port}/`;
  return (seconds) =>
    load({ connections: CONNECTIONS, seconds, url, method: "POST", headers: {}, body: bodyOf, status: 201 });
}

async function measure(lab: Lab, one: Case): Promise<Figure | null> {
  const nodes = await one.nodes(lab);
  if (nodes === null) {
    lab.say(`${one.name}: not here`);
    return null;
  }
  const apps = ALL_APPS.filter((app) => one.lightning || app !== "lightning-watch");
  const service = await lab.startService({ apps, copies: { api: one.processes }, env: nodes.env });
  const store = await service.openStore({ lightning: one.lightning });
  await createInvoices(service, store, lab.size(2, 0.3)); // the code gets warm, and the raw route its pattern
  const createRaw = await startRaw(lab, service, one.processes);
  const raw = (): Promise<Loaded> => createRaw(lab.size(3, 0.3));
  await raw();
  const ours: Loaded[] = [];
  const bare: Loaded[] = [];
  for (let round = 0; round < lab.rounds; round += 1) {
    ours.push(await createInvoices(service, store, lab.size(4, 0.3)));
    lab.noteMemory("creating invoices", service.memory());
    bare.push(await raw());
  }
  const median = (rounds: readonly Loaded[], key: keyof Loaded): number =>
    medianOf(rounds.map((round) => round[key]));
  const p99Ms = median(ours, "p99Ms");
  lab.say(`${one.name}: ${Math.round(median(ours, "perSecond"))}/s, p99 ${p99Ms.toFixed(0)} ms`);
  return figure({
    name: one.name,
    unit: "invoices/s",
    ours: ours.map(({ perSecond }) => perSecond),
    raw: {
      what: "a bare Koa route that INSERTs the same rows",
      rounds: bare.map(({ perSecond }) => perSecond),
    },
    also: { "p50 ms": median(ours, "p50Ms"), "p99 ms": p99Ms, "raw p99 ms": median(bare, "p99Ms") },
    aim: one.aimed ? { text: "≥ 0.5 of the raw limit", ratioAtLeast: 0.5 } : undefined,
  });
}

export const creation: Bench = {
  name: "creation",
  title: "Invoices created over HTTP",
  usesQueues: true,
  async run(lab) {
    const chosen = CASES.filter(({ onPostgresToo }) => lab.queues === "redis" || onPostgresToo);
    const figures: Figure[] = [];
    for (const one of lab.quick ? chosen.slice(0, 1) : chosen) {
      const made = await lab.apart((part) => measure(part, one));
      if (made !== null) figures.push(made);
    }
    return figures;
  },
};
