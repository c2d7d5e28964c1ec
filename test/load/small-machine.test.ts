import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import {
  type EmbeddedPostgres,
  removeEmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../scripts/embedded-postgres";
import { commandOf } from "../../scripts/processes";
import { eventually } from "../support/eventually";
import { findBitcoind } from "../support/bitcoind-binary";
import { lndEnvironment } from "../support/lightning";
import { withRealLnd } from "../support/real-lnd";
import { RealLnd } from "../support/real-nodes/real-lnd";
import { RealNode } from "../support/real-nodes/real-node";
import { Service } from "../support/service";

/** `SELL_MINUTES=60 TMPDIR=/var/tmp npm run test:load -- test/load/small-machine.test.ts` is the hour of the documents. */
const MINUTES = Number(process.env["SELL_MINUTES"] ?? 3);
const LIMIT_BYTES = 2 ** 30;
const SALE_EVERY_MS = 5_000;
const MINE_EVERY_SALES = 4;
const LOOK_EVERY_MS = 2_000;
const GROUPS = "/sys/fs/cgroup/memory";

/** As docs/operations/small-machine.md sets them. */
const POSTGRES = [
  "shared_buffers=64MB",
  "max_connections=70",
  "maintenance_work_mem=32MB",
  "wal_compression=on",
  "checkpoint_timeout=15min",
];
const BITCOIND = ["-prune=5000", "-dbcache=100", "-maxmempool=100", "-maxconnections=20"];

/** All below this process, but not the test's own helpers and the customer's Lightning node. */
function processes(): Map<number, string> {
  const parents = new Map<number, number>();
  for (const pid of readdirSync("/proc").map(Number).filter(Number.isInteger)) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      parents.set(pid, Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // ended meanwhile
    }
  }
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === process.pid || isBelow(parents.get(pid)));
  const found = new Map<number, string>();
  for (const [pid, parent] of parents) {
    const name = isBelow(parent) ? nameOf(commandOf(pid) ?? "") : null;
    if (name !== null) found.set(pid, name);
  }
  return found;
}

function nameOf(command: string): string | null {
  const [, app] = /dist\/(?:api|workers)\/main\.js (\w+)$/.exec(command) ?? [];
  if (app !== undefined) return app;
  const [, program] = /(postgres|bitcoind|lnd)\b/.exec(command) ?? [];
  return command.includes("/customer") ? null : (program ?? null);
}

/** Each one's share of the memory, in MB, by name. */
function proportional(): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [pid, name] of processes()) {
    try {
      const kb = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
      sums[name] = (sums[name] ?? 0) + (Number(kb) * 1_024) / 1e6;
    } catch {
      // ended meanwhile
    }
  }
  return sums;
}

/**
 * What this process starts from now on gets no more than the limit from the kernel, the files that it reads included.
 * Null where the kernel does not do it.
 */
function limitMemory(): { leave(): void; most(): { mb: number; refused: number } } | null {
  const group = path.join(GROUPS, `quittance-small-${process.pid}`);
  const read = (file: string): number => Number(readFileSync(path.join(group, file), "utf8"));
  const enter = (folder: string): void =>
    writeFileSync(path.join(folder, "cgroup.procs"), String(process.pid));
  try {
    mkdirSync(group);
    writeFileSync(path.join(group, "memory.limit_in_bytes"), String(LIMIT_BYTES));
    enter(group);
  } catch {
    return null;
  }
  return {
    leave: () => enter(GROUPS),
    most: () => ({ mb: read("memory.max_usage_in_bytes") / 1e6, refused: read("memory.failcnt") }),
  };
}

withRealLnd("a machine with 1 GB: Postgres, a pruned bitcoind, an LND and the service in `few`", (binary) => {
  let dir: string;
  let postgres: EmbeddedPostgres;
  let chain: RealNode;
  let lnd: RealLnd;
  let service: Service;
  let limit: ReturnType<typeof limitMemory>;

  before(async function () {
    this.timeout(180_000);
    process.env["GOMEMLIMIT"] = "200MiB";
    limit = limitMemory();
    dir = mkdtempSync("/var/tmp/quittance-small-");
    postgres = await startEmbeddedPostgres({ dir, settings: POSTGRES });
    chain = await RealNode.start(findBitcoind(), { args: BITCOIND });
    [lnd] = (await RealLnd.start(binary(), chain, [{ args: ["--db.bolt.auto-compact"] }])) as [RealLnd];
    service = await Service.start({
      bitcoindRpcUrl: chain.rpcUrl,
      lndEnvironment: lndEnvironment(lnd.grpc),
      databaseUrl: await postgres.createDatabase("quittance"),
      processes: "few",
    });
    limit?.leave();
  });
  after(async function () {
    this.timeout(60_000);
    await service?.stop();
    await lnd?.stop();
    await chain?.stop();
    if (postgres !== undefined) await removeEmbeddedPostgres(postgres, dir);
  });

  async function sell(number: number): Promise<void> {
    const { invoiceId, address, bolt11 } = await service.createInvoice({ amount: "5000" });
    const onChain = number % 2 === 0;
    if (onChain) await chain.pay(address, 5_000n);
    else await lnd.pay(bolt11);
    if (number % MINE_EVERY_SALES === 0) await chain.mine(1);
    await service.until(invoiceId, { status: onChain ? "Processing" : "Settled" }).catch(async () => {
      await service.until(invoiceId, { status: "Settled" });
    });
  }

  it("sells on-chain and by Lightning, every 5 s", async function () {
    this.timeout((MINUTES + 5) * 60_000);
    let most: [sum: number, parts: Record<string, number>] = [0, {}];
    const looking = setInterval(() => {
      const parts = proportional();
      const sum = Object.values(parts).reduce((total, mb) => total + mb, 0);
      if (sum > most[0]) most = [sum, parts];
    }, LOOK_EVERY_MS);
    const until = performance.now() + MINUTES * 60_000;
    let sold = 0;
    for (; performance.now() < until; sold += 1) {
      const next = sleep(SALE_EVERY_MS);
      await sell(sold);
      await next;
    }
    clearInterval(looking);
    await chain.mine(1);
    await eventually(async () => {
      const [row] = await service.db.query<{ settled: number }[]>(
        "SELECT count(*)::int AS settled FROM invoices WHERE status = 'Settled'",
      );
      expect(row?.settled).to.equal(sold);
    }, 30_000);
    await service.verify();
    const [sum, parts] = most;
    const told = Object.entries(parts).map(([name, mb]) => `${name} ${mb.toFixed(0)}`);
    process.stdout.write(
      `      ${sold} sales in ${MINUTES} min: at most ${sum.toFixed(0)} MB (${told.join(", ")})\n`,
    );
    const { mb, refused } = limit?.most() ?? { mb: NaN, refused: NaN };
    process.stdout.write(
      `      the kernel's limit of 1 GB, the customer's LND included: at most ${mb.toFixed(0)} MB, reached ${refused} times\n`,
    );
    expect(sum).to.be.below(1_000);
  });
});
