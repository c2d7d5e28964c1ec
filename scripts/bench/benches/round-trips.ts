import { type Bench, type Figure, figure, medianOf } from "../bench";
import { type CountedDatabase, type Counts, countRoundTrips } from "../count-round-trips";
import type { Lab } from "../lab";
import { ROADS, startParts, payments, type Parts, type Road } from "./latency";
import { simulatedNodes } from "../nodes";
import { pause } from "../parts";

/** The calls since then, without the periodic ones. */
function since(before: Counts, after: Counts, idle: Counts, seconds: number): Counts {
  const of = (name: keyof Counts): number => after[name] - before[name] - idle[name] * seconds;
  return { statements: of("statements"), roundTrips: of("roundTrips") };
}

/** What all processes ask Postgres in a second in which nothing happens. */
async function idlePerSecond(database: CountedDatabase, seconds: number): Promise<Counts> {
  const before = database.count();
  await pause(seconds * 1_000);
  const { statements, roundTrips } = since(before, database.count(), NOTHING, 0);
  return { statements: statements / seconds, roundTrips: roundTrips / seconds };
}

const NOTHING: Counts = { statements: 0, roundTrips: 0 };

/** Those of the latency bench, whose invoices offer both payment methods, and one whose invoices offer the chain alone. */
const COUNTED: readonly Road[] = ROADS.flatMap((road) =>
  road.type === "BTC-CHAIN"
    ? [{ ...road, name: `${road.name}, without Lightning`, paymentMethods: ["BTC-CHAIN"] }, road]
    : [road],
);

/** From just before the customer's node is asked to pay until the webhook has come. */
async function measure(lab: Lab, parts: Parts, road: Road, database: CountedDatabase): Promise<Figure> {
  const counts: Counts[] = [];
  const idle: number[] = [];
  for (let round = 0; round < lab.rounds; round += 1) {
    const perSecond = await idlePerSecond(database, lab.size(3, 0.5));
    const each: Counts[] = [];
    let before = NOTHING;
    await payments(parts, road, lab.size(40, 3), {
      asked: () => void (before = database.count()),
      arrived: (tookMs) => void each.push(since(before, database.count(), perSecond, tookMs / 1_000)),
    });
    counts.push({
      statements: medianOf(each.map(({ statements }) => statements)),
      roundTrips: medianOf(each.map(({ roundTrips }) => roundTrips)),
    });
    idle.push(perSecond.roundTrips);
  }
  const ours = counts.map(({ roundTrips }) => roundTrips);
  lab.say(`${road.name}: ${medianOf(ours).toFixed(1)} round trips`);
  return figure({
    name: `from when ${road.name} until its webhook is sent`,
    unit: "round trips",
    ours,
    also: {
      statements: medianOf(counts.map(({ statements }) => statements)),
      "idle, a second": medianOf(idle),
    },
    ...(road.type === "BTC-CHAIN" ? { aim: { text: "≤ 22", atMost: 22 } } : {}),
  });
}

/** On Redis only: queues on Postgres share its connection. */
export const roundTrips: Bench = {
  name: "round-trips",
  title: "Round trips to Postgres from a payment to its webhook",
  usesQueues: false,
  async run(lab) {
    const database = await countRoundTrips(lab, await lab.newDatabase());
    const nodes = await simulatedNodes(lab, { lightning: true });
    const parts = await startParts(lab, { nodes, real: false, databaseUrl: database.url });
    const figures: Figure[] = [];
    for (const road of COUNTED) figures.push(await measure(lab, parts, road, database));
    return figures;
  },
};
