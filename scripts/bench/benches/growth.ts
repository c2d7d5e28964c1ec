import { type Bench, figure, medianOf } from "../bench";
import { createInvoices, startRaw } from "./creation";
import { fillInvoices } from "../fill/fill-invoices";
import type { Loaded } from "./load";
import { ALL_APPS } from "../service";

interface Measurement {
  size: number;
  ours: Loaded[];
  raw: Loaded[];
}

/** On-chain creation beside more and more existing invoices. */
export const growth: Bench = {
  name: "growth",
  title: "Invoices created beside those that are there",
  usesQueues: false,
  async run(lab) {
    const sizes = lab.quick ? [100, 1_000] : [1_000, 10_000, 100_000, 1_000_000];
    const service = await lab.startService({ apps: ALL_APPS.filter((app) => app !== "lightning-watch") });
    const store = await service.openStore();
    await createInvoices(service, store, lab.size(2, 0.3)); // warm, and the raw route's pattern
    const createRaw = await startRaw(lab, service, 1);
    await createRaw(lab.size(1, 0.3));
    const all: Measurement[] = [];
    let filled = 0;
    for (const size of sizes) {
      lab.say(`${size.toLocaleString("en")} invoices`);
      const { storeId } = store;
      await fillInvoices(service.databaseUrl, { storeId, webhookId: null, from: filled, to: size });
      filled = size;
      const measured: Measurement = { size, ours: [], raw: [] };
      for (let round = 0; round < lab.rounds; round += 1) {
        measured.ours.push(await createInvoices(service, store, lab.size(3, 0.3)));
        measured.raw.push(await createRaw(lab.size(2, 0.3)));
      }
      all.push(measured);
    }
    return [figureOf(all)];
  },
};

const perSecond = (rounds: readonly Loaded[]): number[] => rounds.map((round) => round.perSecond);

/** At the largest size; the smaller ones are listed beside it, each with its limit. */
function figureOf(all: readonly Measurement[]): ReturnType<typeof figure> {
  const { ours, raw, size } = all.at(-1) as Measurement;
  const before = all.slice(0, -1).flatMap((one): [string, number][] => [
    [`at ${one.size.toLocaleString("en")}`, medianOf(perSecond(one.ours))],
    [`raw at ${one.size.toLocaleString("en")}`, medianOf(perSecond(one.raw))],
  ]);
  return figure({
    name: `on-chain, one API process (${size.toLocaleString("en")})`,
    unit: "invoices/s",
    ours: perSecond(ours),
    raw: { what: "a bare Koa route that INSERTs the same rows", rounds: perSecond(raw) },
    also: { ...Object.fromEntries(before), "p99 ms": medianOf(ours.map(({ p99Ms }) => p99Ms)) },
  });
}
