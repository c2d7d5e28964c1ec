import "reflect-metadata";
import { BENCHES } from "./all";
import { judge, type Bound } from "./bounds";
import { buildService } from "./build";
import { runBenches, type Outcome } from "./run";
import { startServers } from "./servers";

const BOUNDS: readonly Bound[] = [
  { bench: "creation", figure: "on-chain, one API process", ratioAtLeast: 0.05 },
  { bench: "latency", figure: "from when a transaction enters the mempool, idle", ratioAtMost: 100 },
  { bench: "latency", figure: "from when LND settles, idle", ratioAtMost: 100 },
  { bench: "deliveries", figure: "deliveries to live endpoints", ratioAtLeast: 0.03 },
  { bench: "block", figure: "1,000 watched scripts", ratioAtMost: 100 },
];
const TRIES = 3;

const begin = performance.now();
const say = (text: string): void =>
  void process.stderr.write(`${((performance.now() - begin) / 1_000).toFixed(0).padStart(5)} s  ${text}\n`);

/** `npm run bench:gate`: the ratios to the raw limits, of which the median of three short runs counts. */
async function main(): Promise<void> {
  const dist = await buildService({ keep: false });
  const benches = BENCHES.filter(({ name }) => BOUNDS.some(({ bench }) => bench === name));
  const servers = await startServers({
    databaseUrl: process.env["BENCH_DATABASE_URL"],
    redisUrl: process.env["BENCH_REDIS_URL"],
  });
  const queues = servers.redisUrl === null ? "postgres" : "redis";
  try {
    const outcomes: Outcome[] = [];
    for (let tries = 1; tries <= TRIES; tries += 1) {
      say(`run ${tries} of ${TRIES}`);
      outcomes.push(
        ...(await runBenches(benches, { servers, dist, queues, quick: true, profile: undefined, say })),
      );
    }
    const verdicts = BOUNDS.map((bound) => judge(bound, outcomes));
    for (const { text } of verdicts) say(text);
    const broken = verdicts.filter(({ holds }) => !holds).length;
    say(broken === 0 ? "All ratios hold." : `${broken} of ${verdicts.length} ratios do not hold.`);
    if (broken > 0) process.exitCode = 1;
  } finally {
    await servers.stop();
  }
}

main().catch((error: unknown) => {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
});
