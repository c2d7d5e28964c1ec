import { type Bench, type Figure, figure, medianOf } from "../bench";
import { createInvoices, startRaw } from "./creation";
import type { Lab } from "../lab";
import { simulatedNodes } from "../nodes";
import { until } from "../parts";
import { startReceiver } from "../receiver";
import { queryOnce } from "../servers";
import { ALL_APPS, type Service, type Store } from "../service";

const DRAINED_WITHIN_MS = 120_000;

async function unrecorded({ databaseUrl }: Service): Promise<number> {
  const [row] = await queryOnce<{ n: number }>(
    databaseUrl,
    "SELECT count(*)::int AS n FROM webhook_deliveries WHERE state <> 'delivered'",
  );
  return row?.n ?? NaN;
}

/** Invoices a second from the first request until the last one's `New` was sent, answered and recorded. */
async function createAndDeliver(service: Service, store: Store, seconds: number): Promise<number> {
  const begin = performance.now();
  const { count } = await createInvoices(service, store, seconds);
  await until(
    async () => (await unrecorded(service)) === 0,
    "every webhook was recorded",
    DRAINED_WITHIN_MS,
    50,
  );
  return (count * 1_000) / (performance.now() - begin);
}

async function measure(lab: Lab): Promise<Figure> {
  const receiver = await startReceiver(lab);
  const nodes = await simulatedNodes(lab, { lightning: false });
  const apps = ALL_APPS.filter((app) => app !== "lightning-watch");
  const service = await lab.startService({ apps, env: nodes.env });
  const store = await service.openStore();
  await service.call(store, "POST", "/webhooks", { url: `${receiver.url}/shop`, events: ["New"] });
  await createAndDeliver(service, store, lab.size(2, 0.3)); // warm
  const createRaw = await startRaw(lab, service, 1, `${receiver.url}/bare`);
  await createRaw(lab.size(1, 0.3));
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < lab.rounds; round += 1) {
    ours.push(await createAndDeliver(service, store, lab.size(4, 0.3)));
    lab.noteMemory("creating and delivering", service.memory());
    bare.push((await createRaw(lab.size(3, 0.3))).perSecond);
  }
  lab.say(`${medianOf(ours).toFixed(0)}/s beside ${medianOf(bare).toFixed(0)}`);
  return figure({
    name: "on-chain, one webhook: its `New` sent and recorded",
    unit: "invoices/s",
    ours,
    raw: { what: "a bare Koa route that INSERTs the same rows and makes one signed POST", rounds: bare },
    aim: { text: "≥ 0.5 of the raw limit", ratioAtLeast: 0.5 },
  });
}

export const creationDelivered: Bench = {
  name: "creation-delivered",
  title: "Invoices created, with everything: their webhook sent and recorded",
  usesQueues: true,
  run: async (lab) => [await measure(lab)],
};
