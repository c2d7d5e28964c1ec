import { randomBytes } from "node:crypto";
import path from "node:path";
import { makeSecretBox } from "../../adapters/crypto";
import { migrateDatabase } from "../cli/migrate";
import type { Bench, Figure, Lab } from "./bench";
import { block } from "./benches/block";
import { creation } from "./benches/creation";
import { creationDelivered } from "./benches/creation-delivered";
import { deliveries } from "./benches/deliveries";
import { expiry } from "./benches/expiry";
import { latency } from "./benches/latency";
import { lightningNodes } from "./benches/lightning-nodes";
import { lists } from "./benches/lists";
import { rest } from "./benches/rest";
import { peakMb } from "./parts";
import { emptyRedis, queryOnce, type Servers } from "./servers";
import { type App, BENCH_SECRET, ROOT, Service } from "./service";

const { compileService } = require("../npm/compile-service.cjs") as { compileService: (out: string) => void };
const { buildWeb } = require("../npm/build-web.cjs") as { buildWeb: (out: string) => Promise<void> };

/** Every bench, in the order in which they run; rest reports what the others took, too. */
export const BENCHES: readonly Bench[] = [
  creation,
  creationDelivered,
  latency,
  deliveries,
  block,
  expiry,
  lists,
  lightningNodes,
  rest,
];

export interface RunOptions {
  servers: Servers;
  quick: boolean;
  /** An app whose processes write a profile of their time (`.bench/profiles`, for Chrome's or VS Code's tools). */
  profile?: string | undefined;
  say(text: string): void;
}

/** What became of a bench; one that failed does not keep the others from running. */
export interface Outcome {
  bench: string;
  title: string;
  figures: Figure[];
  failure: string | null;
}

interface Parts extends RunOptions {
  /** Folder of the built service. */
  dist: string;
  /** Migrated once a run, and copied: a copy takes a tenth of the time. */
  template: string;
  peaks: Map<App, number>;
}

const PROFILED = ["--cpu-prof", `--cpu-prof-dir=${path.join(ROOT, ".bench/profiles")}`];

/** Runs a bench or a part of it. Whatever it has started is ended, also after a failure. */
async function within<T>(bench: Bench, parts: Parts, run: (lab: Lab) => Promise<T>): Promise<T> {
  const { servers, dist, quick, profile, say, template, peaks } = parts;
  const ends: (() => Promise<void> | void)[] = [];
  const newDatabase = async (): Promise<string> => {
    const name = `bench_${randomBytes(4).toString("hex")}`;
    await queryOnce(servers.adminUrl, `CREATE DATABASE "${name}" TEMPLATE "${template}"`);
    ends.push(() => dropDatabase(servers, name));
    return servers.urlOf(name);
  };
  const lab: Lab = {
    servers,
    quick,
    size: (full, small) => (quick ? small : full),
    rounds: quick ? 1 : 3,
    newDatabase,
    startService: async (asked) => {
      const databaseUrl = asked.databaseUrl ?? (await newDatabase());
      if (servers.redisUrl !== null) await emptyRedis(servers.redisUrl);
      const nodeArgs = profile === undefined ? {} : { nodeArgs: { [profile]: PROFILED } };
      const urls = { databaseUrl, redisUrl: servers.redisUrl };
      const service = await Service.start(dist, urls, { ...asked, ...nodeArgs });
      ends.push(async () => {
        for (const [app, pid] of service.pids()) peaks.set(app, Math.max(peaks.get(app) ?? 0, peakMb(pid)));
        await service.stop();
      });
      return service;
    },
    say: (text) => say(`${bench.name}: ${text}`),
    peaks,
    apart: (part) => within(bench, parts, part),
    onEnd: (end) => void ends.push(end),
  };
  try {
    return await run(lab);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

const dropDatabase = async ({ adminUrl }: Servers, name: string): Promise<void> =>
  void (await queryOnce(adminUrl, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`));

async function migratedTemplate(servers: Servers): Promise<string> {
  const name = `bench_template_${randomBytes(4).toString("hex")}`;
  await queryOnce(servers.adminUrl, `CREATE DATABASE "${name}"`);
  const secrets = makeSecretBox({ appSecret: BENCH_SECRET });
  await migrateDatabase(servers.urlOf(name), { network: "regtest", ...secrets });
  return name;
}

export async function runBenches(benches: readonly Bench[], options: RunOptions): Promise<Outcome[]> {
  options.say("building");
  const dist = path.join(ROOT, ".bench/dist");
  compileService(dist);
  await buildWeb(path.join(dist, "web"));
  const template = await migratedTemplate(options.servers);
  const parts = { ...options, dist, template, peaks: new Map<App, number>() };
  const outcomes: Outcome[] = [];
  for (const bench of benches) {
    const { name, title } = bench;
    const outcome: Outcome = { bench: name, title, figures: [], failure: null };
    options.say(`${name}: ${title}`);
    try {
      outcome.figures = await within(bench, parts, (lab) => bench.run(lab));
    } catch (error) {
      outcome.failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
      options.say(`${name} FAILED: ${outcome.failure}`);
    }
    outcomes.push(outcome);
  }
  await dropDatabase(options.servers, template);
  return outcomes;
}
