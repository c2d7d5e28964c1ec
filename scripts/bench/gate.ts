import "reflect-metadata";
import { medianOf } from "./bench";
import { BENCHES } from "./all";
import { buildService } from "./build";
import { runBenches } from "./run";
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
  { bench: "creation", figure: "on-chain, one API process", ratioAtLeast: 0.05 },
  { bench: "latency", figure: "from when a transaction enters the mempool, idle", ratioAtMost: 100 },
  { bench: "latency", figure: "from when LND settles, idle", ratioAtMost: 100 },
  { bench: "deliveries", figure: "deliveries to live endpoints", ratioAtLeast: 0.03 },
  { bench: "start-up", figure: "from its start", ratioAtMost: 40 },
];
const TRIES = 3;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** `npm run bench:gate`: the ratios to the raw limits, of which the median of three short runs counts. */
async function main(): Promise<void> {
  const dist = buildService({ keep: false });
  const benches = BENCHES.filter(({ name }) => BOUNDS.some(({ bench }) => bench === name));
  const servers = await startServers({
    databaseUrl: process.env["BENCH_DATABASE_URL"],
    redisUrl: process.env["BENCH_REDIS_URL"],
  });
  const queues = servers.redisUrl === null ? "postgres" : "redis";
  try {
    const outcomes = [];
    for (let tries = 0; tries < TRIES; tries += 1)
      outcomes.push(
        ...(await runBenches(benches, { servers, dist, queues, quick: true, profile: undefined, say })),
      );
    for (const { bench, figure, ratioAtLeast = 0, ratioAtMost = Infinity } of BOUNDS) {
      const ratios = outcomes
        .filter((outcome) => outcome.bench === bench)
        .flatMap(({ figures }) => figures.filter(({ name }) => name.startsWith(figure)))
        .map(({ ratio }) => ratio ?? NaN);
      const ratio = medianOf(ratios);
      const holds = ratio >= ratioAtLeast && ratio <= ratioAtMost; // false for none
      const bound = ratioAtLeast > 0 ? `at least ${ratioAtLeast}` : `at most ${ratioAtMost}`;
      say(`${holds ? "ok    " : "WORSE "} ${bench}: ${figure}: ratio ${ratio.toFixed(3)}, ${bound}`);
      if (!holds) process.exitCode = 1;
    }
  } finally {
    await servers.stop();
  }
}

main().catch((error: unknown) => {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
});
