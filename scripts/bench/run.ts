import { randomBytes } from "node:crypto";
import path from "node:path";
import { makeSecretBox } from "../../adapters/crypto";
import { migrateDatabase } from "../cli/migrate";
import type { Bench, Figure } from "./bench";
import { ROOT } from "./build";
import type { Lab, QueueKind } from "./lab";
import { emptyRedis, queryOnce, type Servers } from "./servers";
import { type App, BENCH_SECRET, Service } from "./service";

export interface RunOptions {
  servers: Servers;
  /** Folder of the built service. */
  dist: string;
  queues: QueueKind;
  quick: boolean;
  /** An app whose processes write a profile of their time (`.bench/profiles`, for Chrome's or VS Code's tools). */
  profile: string | undefined;
  say(text: string): void;
}

const PROFILED = ["--cpu-prof", `--cpu-prof-dir=${path.join(ROOT, ".bench/profiles")}`];

/** Migrated once a run, and copied: a copy takes a tenth of the time. */
async function templateOf(servers: Servers): Promise<string> {
  const name = `bench_template_${randomBytes(4).toString("hex")}`;
  await queryOnce(servers.adminUrl, `CREATE DATABASE "${name}"`);
  await migrateDatabase(servers.urlOf(name), {
    network: "regtest",
    ...makeSecretBox({ appSecret: BENCH_SECRET }),
  });
  return name;
}

export type Memories = Map<string, Partial<Record<App, number>>>;

/** Adds the largest that each app was seen with under a load. */
function noteIn(memories: Memories): Lab["noteMemory"] {
  return (load, memory) => {
    const known = memories.get(load) ?? {};
    for (const [app, mb] of Object.entries(memory) as [App, number][])
      known[app] = Math.max(known[app] ?? 0, mb);
    memories.set(load, known);
  };
}

interface Parts extends RunOptions {
  template: string;
  memories: Memories;
}

/** Runs a bench or a part of it. Whatever it has started is ended, also after a failure. */
async function within<T>(bench: Bench, parts: Parts, run: (lab: Lab) => Promise<T>): Promise<T> {
  const { servers, dist, queues, quick, profile, say, template, memories } = parts;
  const ends: (() => Promise<void> | void)[] = [];
  const newDatabase = async (): Promise<string> => {
    const name = `bench_${randomBytes(4).toString("hex")}`;
    await queryOnce(servers.adminUrl, `CREATE DATABASE "${name}" TEMPLATE "${template}"`);
    ends.push(() => dropDatabase(servers, name));
    return servers.urlOf(name);
  };
  const lab: Lab = {
    servers,
    queues,
    quick,
    size: (full, small) => (quick ? small : full),
    rounds: quick ? 1 : queues === "redis" ? 3 : 2,
    newDatabase,
    startService: async (asked) => {
      const databaseUrl = asked.databaseUrl ?? (await newDatabase());
      const redisUrl = queues === "redis" ? servers.redisUrl : null;
      if (redisUrl !== null && asked.databaseUrl === undefined) await emptyRedis(redisUrl);
      const nodeArgs = profile === undefined ? {} : { nodeArgs: { [profile]: PROFILED } };
      const service = await Service.start(dist, { databaseUrl, redisUrl }, { ...asked, ...nodeArgs });
      ends.push(() => service.stop());
      return service;
    },
    say: (text) => say(`${bench.name}: ${text}`),
    noteMemory: noteIn(memories),
    memories,
    apart: (part) => within(bench, parts, part),
    onEnd: (end) => void ends.push(end),
  };
  try {
    return await run(lab);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function dropDatabase({ adminUrl }: Servers, name: string): Promise<void> {
  await queryOnce(adminUrl, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
}

/** What became of a bench; one that failed does not keep the others from running. */
export interface Outcome {
  bench: string;
  title: string;
  queues: QueueKind;
  seconds: number;
  figures: Figure[];
  failure: string | null;
}

export async function runBenches(
  benches: readonly Bench[],
  options: RunOptions,
  ended: (outcome: Outcome) => void = () => undefined,
): Promise<Outcome[]> {
  const template = await templateOf(options.servers);
  const memories: Memories = new Map();
  const outcomes: Outcome[] = [];
  for (const bench of benches) {
    const { name, title } = bench;
    const begin = performance.now();
    options.say(`${name}: ${title} (queues on ${options.queues})`);
    let figures: Figure[] = [];
    let failure: string | null = null;
    try {
      const measured = await within(bench, { ...options, template, memories }, (lab) => bench.run(lab));
      // With queues on Postgres they have no targets.
      const aimed = options.queues === "redis" || !bench.usesQueues;
      figures = aimed ? measured : measured.map((one) => ({ ...one, aim: null }));
    } catch (error) {
      failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
      options.say(`${name} FAILED: ${failure}`);
    }
    const seconds = (performance.now() - begin) / 1_000;
    const outcome = { bench: name, title, queues: options.queues, seconds, figures, failure };
    outcomes.push(outcome);
    ended(outcome);
  }
  await dropDatabase(options.servers, template);
  return outcomes;
}
