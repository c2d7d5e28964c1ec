import { readFileSync } from "node:fs";
import { type Bench, type Figure, figure, type Lab } from "../bench";
import { simulatedNodes } from "../nodes";
import { pause, send, until } from "../parts";
import { processorMs } from "../processor-time";
import { queryOnce } from "../servers";
import { type App, APPS_OF_FEW, APPS_WITH_LIGHTNING, type Service } from "../service";

/** What a mode may take (docs/operations/small-machine.md). */
interface Mode {
  processes: "few" | "each";
  apps: readonly App[];
  mb: number;
  percent: number;
  backends: number;
  startSeconds: number;
}
const MODES: readonly Mode[] = [
  { processes: "few", apps: APPS_OF_FEW, mb: 220, percent: 3, backends: 14, startSeconds: 3 },
  { processes: "each", apps: APPS_WITH_LIGHTNING, mb: 600, percent: 6, backends: 24, startSeconds: 10 },
];
const WRITTEN_MB_AN_HOUR = 5;
const MOST_MB = 200;

/** A process's share of what is in memory, in MB: what several have in common counts for each in part. */
function proportionalMb(pid: number): number {
  const kb = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
  return (Number(kb) * 1_024) / 1e6;
}

/** Processor time, of which `apps` is the service's; bytes of the log and the tables. */
async function spentBy(
  lab: Lab,
  service: Service,
): Promise<{ apps: number; postgres: number; bytes: number }> {
  const [row] = await queryOnce<{ bytes: string }>(
    service.databaseUrl,
    "SELECT pg_current_wal_lsn() - '0/0' + pg_database_size(current_database()) AS bytes",
  );
  const times = processorMs(service, lab.servers);
  const apps = service.pids().reduce((sum, [app]) => sum + (times.get(app) ?? 0), 0);
  return { apps, postgres: times.get("postgres") ?? 0, bytes: Number(row?.bytes) };
}

async function backendsOf({ databaseUrl }: Service): Promise<number> {
  const [row] = await queryOnce<{ count: string }>(
    databaseUrl,
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  return Number(row?.count);
}

/** With one open invoice, which nobody pays. */
async function restIn(lab: Lab, { processes, apps, ...aims }: Mode): Promise<Figure[]> {
  const { env } = await simulatedNodes(lab, { lightning: true });
  const service = await lab.startService({ apps, env: { ...env, PROCESSES: processes } });
  const isHealthy = async (): Promise<boolean> =>
    (await send<{ status: string }>(`${service.base}/api/v1/health`, "GET", {})).json.status === "ok";
  await until(isHealthy, "health is ok");
  const started = (await spentBy(lab, service)).apps;
  const store = await service.openStore({ lightning: true });
  await service.call(store, "POST", "/invoices", { amount: "10000" });
  // Postgres first counts what is in a new database, which no service at rest makes it do.
  await pause(lab.size(150_000, 500));
  const before = await spentBy(lab, service);
  const restMs = lab.size(600_000, 1_000);
  await pause(restMs);
  const after = await spentBy(lab, service);
  const percent = (ms: number): number => (100 * ms) / restMs;
  const measured = (name: string, unit: string, ours: number, atMost: number, also = {}): Figure =>
    figure({
      name: `${processes}: ${name}`,
      unit,
      ours: [ours],
      aim: { text: `≤ ${atMost} ${unit}`, atMost },
      also,
    });
  const mb = service.pids().reduce((sum, [, pid]) => sum + proportionalMb(pid), 0);
  return [
    measured(
      "processor time of all apps from their start until health is ok",
      "s",
      started / 1_000,
      aims.startSeconds,
    ),
    measured("memory of all apps, proportional", "MB", mb, aims.mb),
    measured(
      "processor time of all apps, of one core",
      "%",
      percent(after.apps - before.apps),
      aims.percent,
      {
        "Postgres %": percent(after.postgres - before.postgres),
      },
    ),
    measured("connections of Postgres", "", await backendsOf(service), aims.backends),
    measured(
      "written an hour, log and tables",
      "MB",
      ((after.bytes - before.bytes) / 1e6) * (3_600_000 / restMs),
      WRITTEN_MB_AN_HOUR,
    ),
  ];
}

/** Runs after the others: it also reports the most that the apps took under their loads. */
export const rest: Bench = {
  name: "rest",
  title: "Start, rest and memory",
  async run(lab) {
    const peaks = [...lab.peaks];
    const atRest: Figure[] = [];
    for (const mode of MODES) atRest.push(...(await lab.apart((part) => restIn(part, mode))));
    return [
      ...atRest,
      ...peaks.map(([app, mb]) =>
        figure({
          name: `${app}, at its largest`,
          unit: "MB",
          ours: [mb],
          aim: { text: `< ${MOST_MB} MB`, atMost: MOST_MB },
        }),
      ),
    ];
  },
};
