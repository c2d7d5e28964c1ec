import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { freePort } from "../../devnet/free-port";
import { type Bench, type Figure, figure, type Lab, medianOf } from "../bench";
import { load, type Loaded } from "../load";
import { simulatedNodes } from "../nodes";
import { APPS, APPS_WITH_LIGHTNING, endChild, ROOT, type Service, type Store } from "../service";

const CONNECTIONS = 32;

interface Case {
  name: string;
  lightning: boolean;
}

const CASES: readonly Case[] = [
  { name: "on-chain", lightning: false },
  { name: "with Lightning", lightning: true },
];

/** What a shop sends. */
const bodyOf = (number: number): string =>
  JSON.stringify({
    amount: "21000",
    currency: "SATS",
    metadata: { orderId: `order-${number}`, cart: ["coffee", "cake"] },
    redirectUrl: "https://shop.example/thanks",
  });

const request = { connections: CONNECTIONS, method: "POST", body: bodyOf, status: 201 };

export function createInvoices(service: Service, store: Store, seconds: number): Promise<Loaded> {
  const url = `${service.base}/api/v1/stores/${store.storeId}/invoices`;
  return load({ ...request, seconds, url, headers: { "x-api-key": store.apiKey } });
}

/** The same rows by the bare route. */
export type CreateRaw = (seconds: number) => Promise<Loaded>;

/**
 * Starts the bare route, on the same database; it copies an existing invoice, and makes one signed POST when it has an
 * address.
 */
export async function startRaw(lab: Lab, { databaseUrl }: Service, webhookUrl = ""): Promise<CreateRaw> {
  const port = await freePort();
  const env = { DATABASE_URL: databaseUrl, PORT: String(port), POOL_MAX: "5", WEBHOOK_URL: webhookUrl };
  const file = path.join(__dirname, "raw-creation.ts");
  const child = spawn(process.execPath, ["--import", "tsx", file], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: { ...process.env, ...env },
  });
  lab.onEnd(() => endChild(child));
  await once(child, "message");
  return (seconds) => load({ ...request, seconds, url: `http://127.0.0.1:${port}/`, headers: {} });
}

async function measure(lab: Lab, { name, lightning }: Case): Promise<Figure> {
  const { env } = await simulatedNodes(lab, { lightning });
  const apps = lightning ? APPS_WITH_LIGHTNING : APPS;
  const service = await lab.startService({ apps, env });
  const store = await service.openStore({ lightning });
  await createInvoices(service, store, lab.size(2, 0.3)); // the code gets warm, and the raw route its pattern
  const createRaw = await startRaw(lab, service);
  await createRaw(lab.size(3, 0.3));
  const ours: Loaded[] = [];
  const bare: Loaded[] = [];
  for (let round = 0; round < lab.rounds; round += 1) {
    ours.push(await createInvoices(service, store, lab.size(4, 0.3)));
    bare.push(await createRaw(lab.size(3, 0.3)));
  }
  const median = (rounds: readonly Loaded[], key: keyof Loaded): number =>
    medianOf(rounds.map((round) => round[key]));
  lab.say(`${name}: ${Math.round(median(ours, "perSecond"))}/s`);
  return figure({
    name,
    unit: "invoices/s",
    ours: ours.map(({ perSecond }) => perSecond),
    raw: {
      what: "a bare Koa route that INSERTs the same rows",
      rounds: bare.map(({ perSecond }) => perSecond),
    },
    also: {
      "p50 ms": median(ours, "p50Ms"),
      "p99 ms": median(ours, "p99Ms"),
      "raw p99 ms": median(bare, "p99Ms"),
    },
    aim: lightning ? undefined : { text: "≥ 0.4 of the raw limit", ratioAtLeast: 0.4 },
  });
}

export const creation: Bench = {
  name: "creation",
  title: "Invoices created over HTTP",
  async run(lab) {
    const figures: Figure[] = [];
    for (const one of lab.quick ? CASES.slice(0, 1) : CASES)
      figures.push(await lab.apart((part) => measure(part, one)));
    return figures;
  },
};
