import { spawn } from "node:child_process";
import { Agent } from "node:http";
import path from "node:path";
import { type Bench, figure, type Lab, medianOf, percentile } from "../bench";
import { steadily } from "../load";
import { pause, send, until } from "../parts";
import { Receiver } from "../receiver";
import { ROOT, type Service, type Store } from "../service";

const DEAD_OF_TEN = 1;
const INVOICES_PER_SECOND = 100;

interface Parts {
  lab: Lab;
  service: Service;
  receiver: Receiver;
  stores: readonly Store[];
}

const isDead = (number: number): boolean => number % 10 < DEAD_OF_TEN;

/** One invoice in the store, and with it one delivery. Returns its id. */
async function invoiceOf({ service }: Parts, { storeId, apiKey }: Store, agent: Agent): Promise<string> {
  const url = `${service.base}/api/v1/stores/${storeId}/invoices`;
  const body = { amount: "21000", currency: "SATS" };
  const answer = await send<{ invoiceId: string }>(url, "POST", { "x-api-key": apiKey }, body, agent);
  if (answer.status !== 201) throw new Error(`an invoice was answered with ${answer.status}`);
  return answer.json.invoiceId;
}

/** What waits for every endpoint, the dead ones too, is sent as fast as it goes: deliveries to live ones a second. */
async function drain(parts: Parts, each: number): Promise<number> {
  const { service, receiver, stores } = parts;
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  await service.stopApp("webhook-delivery");
  const wanted = stores.flatMap((store) => Array.from({ length: each }, () => store));
  const live = stores.filter((_, number) => !isDead(number)).length * each;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let store = wanted.pop(); store; store = wanted.pop()) await invoiceOf(parts, store, agent);
    }),
  );
  agent.destroy();
  const times: number[] = [];
  receiver.onArrival = ({ atMs }) => void times.push(atMs);
  await service.startApp("webhook-delivery");
  await until(() => times.length >= live, "every live endpoint has got its deliveries", 180_000);
  return ((times.length - 1) * 1_000) / ((times.at(-1) ?? 0) - (times[0] ?? 0));
}

/** From an invoice's creation until its webhook comes to an endpoint that lives, in ms, at a steady rate over all. */
async function delays(parts: Parts, seconds: number): Promise<number[]> {
  const { receiver, stores } = parts;
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const begun = new Map<string, number>();
  const arrived = new Map<string, number>();
  receiver.onArrival = ({ invoiceId, atMs }) => void arrived.set(invoiceId, atMs);
  let next = 0;
  const others = steadily(INVOICES_PER_SECOND, async () => {
    const number = next++ % stores.length;
    const asked = performance.now();
    const invoiceId = await invoiceOf(parts, stores[number] as Store, agent);
    if (!isDead(number)) begun.set(invoiceId, asked);
  });
  await pause(seconds * 1_000);
  if ((await others.stop()) > 0) throw new Error("invoices were refused");
  agent.destroy();
  await until(
    () => [...begun.keys()].every((id) => arrived.has(id)),
    "every webhook to a live endpoint came",
  );
  return [...begun].map(([id, asked]) => (arrived.get(id) ?? NaN) - asked);
}

/** The limit, in a process of its own. */
async function bare({ service, receiver }: Parts, count: number): Promise<number> {
  receiver.onArrival = () => undefined;
  const file = path.join(__dirname, "raw-deliveries.ts");
  const args = ["--import", "tsx", file, `${receiver.url}/bare`, String(count)];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: service.databaseUrl },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  for await (const chunk of child.stdout) out += String(chunk);
  return Number(out);
}

export const deliveries: Bench = {
  name: "deliveries",
  title: "Webhooks to 1,000 endpoints, of which 10 % never answer",
  async run(lab) {
    const receiver = await Receiver.start(lab);
    const apps = ["api", "webhook-delivery", "invoice-expiry", "reconcile"] as const;
    const service = await lab.startService({ apps });
    const stores = await service.openStores(lab.size(1_000, 20), {
      endpointOf: (number) => `${receiver.url}/${isDead(number) ? "dead" : "live"}-${number}`,
    });
    const parts = { lab, service, receiver, stores };
    const rates: number[] = [];
    const limits: number[] = [];
    for (let round = 0; round < lab.rounds; round += 1) {
      rates.push(await drain(parts, lab.size(2, 1)));
      limits.push(await bare(parts, lab.size(2_000, 50)));
      lab.say(`${rates.at(-1)?.toFixed(0)} deliveries/s beside ${limits.at(-1)?.toFixed(0)}`);
    }
    const waits: number[][] = [];
    for (let round = 0; round < lab.rounds; round += 1) waits.push(await delays(parts, lab.size(5, 0.5)));
    return [
      figure({
        name: "deliveries to live endpoints, as fast as they go",
        unit: "deliveries/s",
        ours: rates,
        raw: { what: "a bare signed POST, one INSERT before and one UPDATE after it", rounds: limits },
        aim: { text: "≥ 0.5 of the raw limit", ratioAtLeast: 0.5 },
      }),
      figure({
        name: `from creation to a live endpoint at ${INVOICES_PER_SECOND} invoices/s: p99`,
        unit: "ms",
        ours: waits.map((round) => percentile(round, 0.99)),
        also: { "p50 ms": medianOf(waits.map((round) => percentile(round, 0.5))) },
        aim: { text: "p99 < 1 s", atMost: 1_000 },
      }),
    ];
  },
};
