import "reflect-metadata";
import { medianOf } from "./bench";
import { BENCHES, runBenches, type Outcome } from "./run";
import { startServers } from "./servers";

/** What a regression that matters would break, and a noisy machine does not: some five times worse than it is. */
interface Bound {
  bench: string;
  /** How the figure's name begins. */
  figure: string;
  ratioAtLeast?: number;
  ratioAtMost?: number;
}

const BOUNDS: readonly Bound[] = [
  { bench: "creation", figure: "on-chain", ratioAtLeast: 0.05 },
  { bench: "latency", figure: "a transaction enters the mempool", ratioAtMost: 100 },
  { bench: "latency", figure: "LND settles", ratioAtMost: 100 },
  { bench: "deliveries", figure: "deliveries to live endpoints", ratioAtLeast: 0.03 },
  { bench: "block", figure: "1,000 watched scripts", ratioAtMost: 100 },
];
const TRIES = 3;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** The median of a figure's ratios over all runs against its bound. A figure that is in none of them does not hold. */
function holds(bound: Bound, outcomes: readonly Outcome[]): boolean {
  const { bench, figure, ratioAtLeast = 0, ratioAtMost = Infinity } = bound;
  const ratios = outcomes
    .filter((outcome) => outcome.bench === bench)
    .flatMap(({ figures }) => figures.filter(({ name }) => name.startsWith(figure)))
    .flatMap(({ ratio }) => ratio ?? []);
  const ratio = medianOf(ratios);
  const within = ratio >= ratioAtLeast && ratio <= ratioAtMost; // false for NaN, the median of none
  say(
    `${within ? "ok   " : "WORSE"}  ${bench}: ${figure}: ${ratio.toPrecision(3)} of the raw limit, bound: ${ratioAtLeast} to ${ratioAtMost}`,
  );
  return within;
}

/** `npm run bench:gate`: the ratios to the raw limits, of which the median of three short runs counts. */
async function main(): Promise<void> {
  const benches = BENCHES.filter(({ name }) => BOUNDS.some(({ bench }) => bench === name));
  const servers = await startServers();
  try {
    const outcomes: Outcome[] = [];
    for (let tries = 1; tries <= TRIES; tries += 1) {
      say(`run ${tries} of ${TRIES}`);
      outcomes.push(...(await runBenches(benches, { servers, quick: true, say })));
    }
    const broken = BOUNDS.filter((bound) => !holds(bound, outcomes)).length;
    say(broken === 0 ? "All ratios hold." : `${broken} of ${BOUNDS.length} ratios do not hold.`);
    if (broken > 0) process.exitCode = 1;
  } finally {
    await servers.stop();
  }
}

main().catch((error: unknown) => {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
});
