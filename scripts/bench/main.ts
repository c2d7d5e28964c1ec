import "reflect-metadata";
import path from "node:path";
import { parseArgs } from "node:util";
import { BENCHES } from "./all";
import { buildService, ROOT } from "./build";
import type { QueueKind } from "./lab";
import { machineOf } from "./machine";
import { Results } from "./results";
import { runBenches } from "./run";
import { startServers } from "./servers";
import { tableOf } from "./table";
import { writeFigures } from "./write-figures";

const USAGE = `npm run bench -- [names] [--quick] [--queues redis|postgres|both] [--database-url URL] [--redis-url URL] [--out FILE] [--keep-build] [--profile APP] [--publish]
Names: ${BENCHES.map(({ name }) => name).join(", ")}`;

/** The request cannot be done; printed without a stack. */
class UsageError extends Error {}

const NO_REDIS = "there is no redis-server on the PATH (or give --redis-url)";

function queuesOf(asked: string, redisUrl: string | null): QueueKind[] {
  if (asked === "both") return redisUrl === null ? ["postgres"] : ["redis", "postgres"];
  if (asked === "redis" && redisUrl === null) throw new UsageError(`Redis was asked for, but ${NO_REDIS}.`);
  return [asked as QueueKind];
}

function asked(): ReturnType<typeof readArguments> {
  try {
    return readArguments();
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      queues: { type: "string", default: "both" },
      "database-url": { type: "string", default: process.env["BENCH_DATABASE_URL"] },
      "redis-url": { type: "string", default: process.env["BENCH_REDIS_URL"] },
      out: { type: "string", default: path.join(ROOT, ".bench/results.json") },
      "keep-build": { type: "boolean", default: false },
      profile: { type: "string" },
      publish: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const chosen =
    positionals.length === 0 ? BENCHES : BENCHES.filter(({ name }) => positionals.includes(name));
  if (chosen.length < positionals.length) throw new Error("There is no such bench.");
  if (!["redis", "postgres", "both"].includes(values.queues)) throw new Error("There are no such queues.");
  return { values, positionals, chosen };
}

async function main(): Promise<void> {
  const { values, positionals, chosen } = asked();
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const begin = performance.now();
  const say = (text: string): void =>
    void process.stderr.write(`${((performance.now() - begin) / 1_000).toFixed(0).padStart(5)} s  ${text}\n`);
  say("building");
  const dist = await buildService({ keep: values["keep-build"] });
  const servers = await startServers({ databaseUrl: values["database-url"], redisUrl: values["redis-url"] });
  try {
    const results = new Results(values.out, machineOf(servers), values.quick);
    const names = BENCHES.map(({ name }) => name);
    let failed = false;
    const kinds = queuesOf(values.queues, servers.redisUrl);
    if (servers.redisUrl === null) say(`queues on Postgres alone: ${NO_REDIS}`);
    for (const queues of kinds) {
      // What uses no queues is measured once.
      const benches = queues === kinds[0] ? chosen : chosen.filter(({ usesQueues }) => usesQueues);
      const { quick, profile } = values;
      await runBenches(benches, { servers, dist, queues, quick, profile, say }, (outcome) => {
        results.add(outcome, names);
        failed ||= outcome.failure !== null;
      });
    }
    process.stdout.write(`${JSON.stringify(results.all)}\n`);
    process.stderr.write(`\n${tableOf(results.all)}`);
    const whole = !values.quick && positionals.length === 0 && values.queues === "both";
    if (whole || values.publish) {
      writeFigures(tableOf(results.all));
      say("docs/performance.md has these figures now");
    }
    if (failed) process.exitCode = 1;
  } finally {
    await servers.stop();
  }
}

main().catch((error: unknown) => {
  const told = error instanceof UsageError ? error.message : ((error as Error).stack ?? String(error));
  process.stderr.write(`${told}\n`);
  process.exitCode = 1;
});
