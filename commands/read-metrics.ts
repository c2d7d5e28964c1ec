import type { DataSource } from "typeorm";
import type { CommandContext } from "./context";

/** Numbers of one kind, each by its labels. */
export interface Numbers {
  name: string;
  help: string;
  labels: readonly string[];
  values: readonly { labels: Record<string, string>; value: number }[];
}

interface Source extends Omit<Numbers, "values"> {
  /** Answers a column for each label, and `value`; a null is left out. */
  sql: string;
}

const ALERTS: readonly Source[] = [
  {
    name: "quittance_alerts_recent",
    help: "Operator alerts that were raised in the last hour, resolved ones too, by kind.",
    labels: ["kind"],
    sql: "SELECT kind, count(*)::integer AS value FROM alerts WHERE at > now() - interval '1 hour' GROUP BY kind",
  },
  {
    name: "quittance_alerts_open",
    help: "Operator alerts that are not resolved, by kind.",
    labels: ["kind"],
    sql: "SELECT kind, count(*)::integer AS value FROM alerts WHERE resolved_at IS NULL GROUP BY kind",
  },
];

const DELIVERIES: readonly Source[] = [
  {
    name: "quittance_deliveries_open",
    help: "Webhook deliveries that are not over, by state.",
    labels: ["state"],
    sql: `SELECT state, count(*)::integer AS value FROM webhook_deliveries
      WHERE state IN ('pending', 'sending') GROUP BY state`,
  },
  {
    name: "quittance_delivery_oldest_seconds",
    help: "Age of the oldest delivery that waits for its first attempt (pending) or is on its way (sending).",
    labels: ["state"],
    // One that waits to be sent again keeps the time of its making, which says nothing of how long it waits.
    sql: `SELECT state, extract(epoch FROM now() - min(CASE state WHEN 'pending' THEN created_at ELSE last_attempt_at END))::float8 AS value
      FROM webhook_deliveries WHERE state IN ('pending', 'sending') AND (state = 'sending' OR attempt_count = 0)
      GROUP BY state`,
  },
  {
    name: "quittance_attempts_recent",
    help: "Attempts at deliveries that began in the last 15 min, by outcome.",
    labels: ["outcome"],
    sql: `SELECT CASE WHEN error = 'interrupted' THEN error ELSE state END AS outcome, count(*)::integer AS value
      FROM webhook_attempts WHERE started_at > now() - interval '15 minutes' GROUP BY 1`,
  },
];

const DETECTION: Source = {
  name: "quittance_detection_seconds",
  help: "Of invoices that became Processing in the last 15 min: from when the node saw the payment to our event (recorded), from there to its first sending (told).",
  labels: ["stage", "quantile"],
  sql: `WITH recent AS MATERIALIZED (
      SELECT id, invoice_id, created_at FROM invoice_events
      WHERE body IS NOT NULL AND created_at > now() - interval '15 minutes'
        AND type = 'Processing' AND NOT by_hand AND NOT test
    ), delays AS (
      SELECT 'recorded' AS stage, extract(epoch FROM created_at - (
        SELECT max(first_seen_at) FROM payments
        WHERE payments.invoice_id = recent.invoice_id AND first_seen_at <= recent.created_at
      ))::float8 AS seconds FROM recent
      UNION ALL
      SELECT 'told', extract(epoch FROM attempt.started_at - recent.created_at)::float8 FROM recent
      JOIN webhook_deliveries delivery ON delivery.event_id = recent.id
      JOIN webhook_attempts attempt ON attempt.delivery_id = delivery.id AND attempt.number = 1
    )
    SELECT stage, q::text AS quantile, percentile_disc(q) WITHIN GROUP (ORDER BY seconds) AS value
    FROM delays CROSS JOIN (VALUES (0.5::float8), (0.95), (1)) AS quantiles (q)
    WHERE seconds IS NOT NULL GROUP BY stage, q`,
};

const LIGHTNING: readonly Source[] = [
  {
    name: "quittance_lightning_settle_seconds",
    help: "Of invoices that were settled with a Lightning payment in the last 15 min: from when LND settled it to our record.",
    labels: ["quantile"],
    sql: `WITH recent AS MATERIALIZED (
        SELECT DISTINCT invoice_id FROM invoice_events
        WHERE body IS NOT NULL AND created_at > now() - interval '15 minutes'
          AND type = 'Settled' AND NOT by_hand AND NOT test
      )
      SELECT q::text AS quantile,
        percentile_disc(q) WITHIN GROUP (ORDER BY extract(epoch FROM confirmed_at - first_seen_at)::float8) AS value
      FROM recent JOIN payments ON payments.invoice_id = recent.invoice_id AND payments.type = 'BTC-LN'
      CROSS JOIN (VALUES (0.5::float8), (0.95), (1)) AS quantiles (q) GROUP BY q`,
  },
  {
    name: "quittance_lightning_receivable_sats",
    help: "What LND's active channels can receive.",
    labels: [],
    sql: "SELECT receivable_sats AS value FROM rails WHERE type = 'BTC-LN'",
  },
  {
    name: "quittance_lightning_hole_seconds",
    help: "How long a settle index has been missing in LND's stream; 0 where none is.",
    labels: [],
    sql: `SELECT coalesce(extract(epoch FROM now() - min(hole_since)), 0)::float8 AS value FROM lightning_cursors
      HAVING count(*) > 0`,
  },
  {
    name: "quittance_bolt11s_unfinished",
    help: "BOLT11s that LND has still to make (wanted), and that may be paid (open).",
    labels: ["state"],
    sql: "SELECT state, count(*)::integer AS value FROM bolt11s WHERE state IN ('wanted', 'open') GROUP BY state",
  },
];

const RAILS: readonly Source[] = [
  {
    name: "quittance_blocks_behind",
    help: "Blocks that the node has and we have not processed.",
    labels: ["rail"],
    sql: `SELECT type AS rail, greatest(0, node_height - (SELECT max(height) FROM chain_blocks)) AS value
      FROM rails WHERE type = 'BTC-CHAIN' AND node_height IS NOT NULL AND EXISTS (SELECT FROM chain_blocks)`,
  },
  {
    name: "quittance_rail_caught_up_age_seconds",
    help: "Since the beginning of the last complete check of the rail.",
    labels: ["rail"],
    sql: "SELECT type AS rail, extract(epoch FROM now() - caught_up_to)::float8 AS value FROM rails",
  },
  {
    name: "quittance_rail_synchronized",
    help: "1 while the rail's node is usable and synchronised, else 0.",
    labels: ["rail"],
    sql: "SELECT type AS rail, synchronized::integer AS value FROM rails",
  },
];

const PROCESSES: Source = {
  name: "quittance_processes",
  help: "Processes that were heard of in the last 30 s, by worker.",
  labels: ["worker"],
  sql: `SELECT worker, count(*)::integer AS value FROM heartbeats
    WHERE beat_at > now() - interval '30 seconds' GROUP BY worker`,
};

/** Each by an index or over few rows: a monitor asks every few seconds. Times are those of Postgres. */
const SOURCES: readonly Source[] = [...ALERTS, ...DELIVERIES, DETECTION, ...LIGHTNING, ...RAILS, PROCESSES];

/** What the database knows for a monitor. */
export function readMetrics(ctx: Pick<CommandContext, "readElsewhere">): Promise<Numbers[]> {
  return ctx.readElsewhere(readNumbers);
}

async function readNumbers(db: DataSource): Promise<Numbers[]> {
  const numbers: Numbers[] = [];
  for (const { sql, ...source } of SOURCES) {
    const rows = await db.query<Record<string, string | number | null>[]>(sql);
    const values = rows
      .filter(({ value }) => value !== null)
      .map(({ value, ...labels }) => ({ labels: labels as Record<string, string>, value: Number(value) }));
    numbers.push({ ...source, values });
  }
  return numbers;
}

/** What each process that lives told of itself with its last heartbeat. */
export async function readProcessMetrics({ db }: Pick<CommandContext, "db">): Promise<unknown[][]> {
  const rows = await db.query<{ metrics: unknown[] }[]>(
    "SELECT metrics FROM heartbeats WHERE metrics IS NOT NULL AND beat_at > now() - interval '30 seconds'",
  );
  return rows.map(({ metrics }) => metrics);
}
