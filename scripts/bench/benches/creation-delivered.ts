import { type Bench, figure, medianOf } from "../bench";
import { withFiller } from "../fill/fill";
import { simulatedNodes } from "../nodes";
import { until } from "../parts";
import { processorMs } from "../processor-time";
import { Receiver } from "../receiver";
import { APPS, type Service, type Store } from "../service";
import { createInvoices, startRaw } from "./creation";

const DRAINED_WITHIN_MS = 120_000;
const UNRECORDED = "SELECT 1 FROM webhook_deliveries WHERE state <> 'delivered' LIMIT 1";

interface Round {
  count: number;
  perSecond: number;
}

/** From the first request until the last one's `New` was sent, answered and recorded. */
async function createAndDeliver(service: Service, store: Store, seconds: number): Promise<Round> {
  const begin = performance.now();
  const { count } = await createInvoices(service, store, seconds);
  await withFiller(service.databaseUrl, (client) =>
    until(
      async () => (await client.query(UNRECORDED)).rowCount === 0,
      "every webhook was recorded",
      DRAINED_WITHIN_MS,
      50,
    ),
  );
  return { count, perSecond: (count * 1_000) / (performance.now() - begin) };
}

export const creationDelivered: Bench = {
  name: "creation-delivered",
  title: "Invoices created, with everything: their webhook sent and recorded",
  async run(lab) {
    const receiver = await Receiver.start(lab);
    const { env } = await simulatedNodes(lab, { lightning: false });
    const service = await lab.startService({ apps: APPS, env });
    const store = await service.openStore();
    await service.call(store, "POST", "/webhooks", { url: `${receiver.url}/shop`, events: ["New"] });
    await createAndDeliver(service, store, lab.size(2, 0.3)); // warm
    const createRaw = await startRaw(lab, service, `${receiver.url}/bare`);
    await createRaw(lab.size(1, 0.3));
    const ours: number[] = [];
    const bare: number[] = [];
    const spentMs: Record<string, number>[] = [];
    for (let round = 0; round < lab.rounds; round += 1) {
      const before = processorMs(service, lab.servers);
      const { count, perSecond } = await createAndDeliver(service, store, lab.size(4, 0.3));
      const spent = [...processorMs(service, lab.servers)].map(
        ([name, ms]) => [name, (ms - (before.get(name) ?? 0)) / count] as const,
      );
      spentMs.push(Object.fromEntries(spent));
      ours.push(perSecond);
      bare.push((await createRaw(lab.size(3, 0.3))).perSecond);
    }
    lab.say(`${medianOf(ours).toFixed(0)}/s beside ${medianOf(bare).toFixed(0)}`);
    const processes = Object.keys(spentMs[0] ?? {});
    return [
      figure({
        name: "on-chain, one webhook: its `New` sent and recorded",
        unit: "invoices/s",
        ours,
        raw: { what: "a bare Koa route that INSERTs the same rows and makes one signed POST", rounds: bare },
        aim: { text: "≥ 0.18 of the raw limit", ratioAtLeast: 0.18 },
      }),
      figure({
        name: "processor time of one invoice with everything",
        unit: "ms",
        ours: spentMs.map((round) => Object.values(round).reduce((sum, ms) => sum + ms, 0)),
        also: Object.fromEntries(
          processes.map((name) => [name, medianOf(spentMs.map((round) => round[name] ?? NaN))]),
        ),
        aim: { text: "≤ 11 ms", atMost: 11 },
      }),
    ];
  },
};
