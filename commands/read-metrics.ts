import type { CommandContext } from "./context";

/** One number for each value of a label. */
export interface Counts {
  name: string;
  help: string;
  label: string;
  values: readonly { label: string; count: number }[];
}

/** Each by an index or over few rows: a monitor asks every few seconds. */
const SOURCES = [
  {
    name: "quittance_alerts",
    help: "Operator alerts so far, by kind.",
    label: "kind",
    sql: "SELECT kind AS label, count(*)::integer AS count FROM alerts GROUP BY kind",
  },
  {
    name: "quittance_alerts_open",
    help: "Operator alerts that are not resolved, by kind.",
    label: "kind",
    sql: "SELECT kind AS label, count(*)::integer AS count FROM alerts WHERE resolved_at IS NULL GROUP BY kind",
  },
  {
    name: "quittance_deliveries_open",
    help: "Webhook deliveries that are not over, by state.",
    label: "state",
    sql: "SELECT state AS label, count(*)::integer AS count FROM webhook_deliveries WHERE state IN ('pending', 'sending') GROUP BY state",
  },
  {
    name: "quittance_processes",
    help: "Processes that were heard of in the last 30 s, by worker.",
    label: "worker",
    sql: "SELECT worker AS label, count(*)::integer AS count FROM heartbeats WHERE beat_at > clock_timestamp() - interval '30 seconds' GROUP BY worker",
  },
] as const;

/** What the database knows for a monitor. */
export async function readMetrics({ db }: Pick<CommandContext, "db">): Promise<Counts[]> {
  const counts: Counts[] = [];
  for (const { sql, ...source } of SOURCES) counts.push({ ...source, values: await db.query(sql) });
  return counts;
}
