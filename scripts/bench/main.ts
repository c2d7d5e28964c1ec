import "reflect-metadata";
import { parseArgs } from "node:util";
import { BENCHES, runBenches } from "./run";
import { startServers } from "./servers";
import { tableOf } from "./table";

const USAGE = `npm run bench -- [names] [--quick] [--queues postgres] [--profile APP]
Names: ${BENCHES.map(({ name }) => name).join(", ")}`;

/** @throws Error for what it does not know */
function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      queues: { type: "string", default: "redis" },
      profile: { type: "string" },
    },
  });
  const unknown = positionals.find((name) => !BENCHES.some((bench) => bench.name === name));
  if (unknown !== undefined) throw new Error(`There is no bench ${unknown}.`);
  const benches = BENCHES.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  return { ...values, benches };
}

/** The tables to stdout, progress to stderr. */
async function main(): Promise<void> {
  const { benches, quick, profile, queues } = readArguments();
  const begin = performance.now();
  const say = (text: string): void =>
    void process.stderr.write(`${((performance.now() - begin) / 1_000).toFixed(0).padStart(5)} s  ${text}\n`);
  const servers = await startServers({ withRedis: queues !== "postgres" });
  try {
    const outcomes = await runBenches(benches, { servers, quick, profile, say });
    process.stdout.write(tableOf(outcomes));
    if (outcomes.some(({ failure }) => failure !== null)) process.exitCode = 1;
  } finally {
    await servers.stop();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n\n${USAGE}\n`);
  process.exitCode = 1;
});
