import { type Statement, statement } from "../../database/statement";
import { SERVER_NODE_ID } from "../../entities/lightning-node";
import { isRecent } from "../server/queries";

// Read every few seconds: each uses an index or reads few rows. Times are those of Postgres.

/** A column for each label, and `value`; null is left out. */
type Row = Record<string, string | number | null>;

export interface Figure<R extends Row = Row> {
  name: string;
  help: string;
  labels: readonly string[];
  read: Statement<[], R>;
}

function figure<R extends Row>(
  name: string,
  labels: readonly Exclude<keyof R & string, "value">[],
  help: string,
  text: string,
): Figure<R> {
  return { name, help, labels, read: statement<[], R>(`server.read-${name}`, text) };
}

/** SQL: the server's own nodes. */
const OWN_NODES = `(SELECT type AS rail, caught_up_to, synchronized FROM payment_method_syncs WHERE type = 'BTC-CHAIN'
  UNION ALL SELECT 'BTC-LN', caught_up_to, synchronized FROM lightning_nodes
   WHERE id = '${SERVER_NODE_ID}' AND checked_at IS NOT NULL) AS rails`;

/** A queued delivery is pending to everybody else. Pending ones have an index, and those in flight another. */
export const OPEN_DELIVERIES = figure<{ state: "pending" | "sending"; value: number }>(
  "quittance_deliveries_open",
  ["state"],
  "Unfinished webhook deliveries, by state.",
  `SELECT CASE state WHEN 'queued' THEN 'pending' ELSE state END AS state, sum(n)::integer AS value
     FROM (SELECT state, count(*) AS n FROM webhook_deliveries WHERE state = 'pending' GROUP BY state
            UNION ALL
           SELECT state, count(*) FROM webhook_deliveries WHERE state IN ('queued', 'sending') GROUP BY state) AS each_state
    GROUP BY 1`,
);

/** A redelivery keeps its creation time, which does not show how long it waits. */
export const OLDEST_DELIVERIES = figure<{ state: string; value: number }>(
  "quittance_delivery_oldest_seconds",
  ["state"],
  "Age of the oldest delivery that waits for its first attempt (pending) or is being sent (sending).",
  `SELECT state, extract(epoch FROM now() - min(since))::float8 AS value
     FROM (SELECT 'pending' AS state, created_at AS since FROM webhook_deliveries
            WHERE state = 'pending' AND attempt_count = 0
            UNION ALL
           SELECT 'pending', created_at FROM webhook_deliveries WHERE state = 'queued' AND attempt_count = 0
            UNION ALL
           SELECT state, last_attempt_at FROM webhook_deliveries WHERE state = 'sending') AS each_delivery
    GROUP BY state`,
);

export const PROCESSES = figure<{ worker: string; value: number }>(
  "quittance_processes",
  ["worker"],
  "Processes with a heartbeat in the last 30 s, by worker.",
  `SELECT worker, count(*)::integer AS value FROM heartbeats
    WHERE ${isRecent("beat_at")} GROUP BY worker`,
);

export const FIGURES: readonly Figure[] = [
  figure<{ kind: string; value: number }>(
    "quittance_alerts_recent",
    ["kind"],
    "Operator alerts raised in the last hour, including resolved ones, by kind.",
    "SELECT kind, count(*)::integer AS value FROM alerts WHERE at > now() - interval '1 hour' GROUP BY kind",
  ),
  figure<{ kind: string; value: number }>(
    "quittance_alerts_open",
    ["kind"],
    "Operator alerts that are not resolved, by kind.",
    "SELECT kind, count(*)::integer AS value FROM alerts WHERE resolved_at IS NULL GROUP BY kind",
  ),
  OPEN_DELIVERIES,
  OLDEST_DELIVERIES,
  figure<{ outcome: string; value: number }>(
    "quittance_attempts_recent",
    ["outcome"],
    "Delivery attempts started in the last 15 min, by outcome.",
    `SELECT CASE WHEN error = 'interrupted' THEN error ELSE state END AS outcome, count(*)::integer AS value
    FROM webhook_attempts WHERE started_at > now() - interval '15 minutes' GROUP BY 1`,
  ),
  figure<{ stage: string; quantile: string; value: number }>(
    "quittance_detection_seconds",
    ["stage", "quantile"],
    "Delay of invoices that became Processing in the last 15 min: from the node seeing the payment to the event (recorded), and from the event to its first attempt (told).",
    `WITH recent AS MATERIALIZED (
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
  ),
  figure<{ quantile: string; value: number }>(
    "quittance_lightning_settle_seconds",
    ["quantile"],
    "Delay of invoices settled by Lightning in the last 15 min: from LND's settlement to the service's record.",
    `WITH recent AS MATERIALIZED (
      SELECT DISTINCT invoice_id FROM invoice_events
      WHERE body IS NOT NULL AND created_at > now() - interval '15 minutes'
        AND type = 'Settled' AND NOT by_hand AND NOT test
    )
    SELECT q::text AS quantile,
      percentile_disc(q) WITHIN GROUP (ORDER BY extract(epoch FROM confirmed_at - first_seen_at)::float8) AS value
    FROM recent JOIN payments ON payments.invoice_id = recent.invoice_id AND payments.type = 'BTC-LN'
    CROSS JOIN (VALUES (0.5::float8), (0.95), (1)) AS quantiles (q) GROUP BY q`,
  ),
  figure<{ value: string | null }>(
    "quittance_lightning_receivable_sats",
    [],
    "Capacity of the server's LND's active channels to receive.",
    `SELECT receivable_sats AS value FROM lightning_nodes WHERE id = '${SERVER_NODE_ID}' AND checked_at IS NOT NULL`,
  ),
  figure<{ value: number }>(
    "quittance_lightning_hole_seconds",
    [],
    "How long a settle index has been missing in LND's stream; 0 if none is.",
    `SELECT coalesce(extract(epoch FROM now() - min(gap_since)), 0)::float8 AS value FROM lightning_cursors
    HAVING count(*) > 0`,
  ),
  figure<{ state: string; value: number }>(
    "quittance_bolt11s_unfinished",
    ["state"],
    "BOLT11s that LND has yet to create (wanted), and that can be paid (open).",
    "SELECT state, count(*)::integer AS value FROM bolt11s WHERE state IN ('wanted', 'open') GROUP BY state",
  ),
  figure<{ rail: string; value: number }>(
    "quittance_blocks_behind",
    ["rail"],
    "Blocks of the node that are not processed yet.",
    `SELECT type AS rail, greatest(0, node_height - (SELECT max(height) FROM chain_blocks)) AS value
    FROM payment_method_syncs WHERE type = 'BTC-CHAIN' AND node_height IS NOT NULL AND EXISTS (SELECT FROM chain_blocks)`,
  ),
  figure<{ rail: string; value: number | null }>(
    "quittance_rail_caught_up_age_seconds",
    ["rail"],
    "Time since the last complete check of the payment method began.",
    `SELECT rail, extract(epoch FROM now() - caught_up_to)::float8 AS value FROM ${OWN_NODES}`,
  ),
  figure<{ rail: string; value: number }>(
    "quittance_rail_synchronized",
    ["rail"],
    "1 while the payment method's node is usable and synced, else 0.",
    `SELECT rail, synchronized::integer AS value FROM ${OWN_NODES}`,
  ),
  figure<{ state: string; value: number }>(
    "quittance_lightning_nodes",
    ["state"],
    "Lightning nodes of stores, by state: usable, away, or retired and still watched.",
    `SELECT CASE WHEN state = 'retired' THEN 'retired' WHEN synchronized THEN 'usable' ELSE 'away' END AS state,
            count(*)::integer AS value
       FROM lightning_nodes WHERE macaroon IS NOT NULL GROUP BY 1`,
  ),
  PROCESSES,
];

/** By the last heartbeat of each live process. */
export const readSnapshots = statement<[], { metrics: unknown[] }>(
  "server.read-snapshots",
  `SELECT metrics FROM heartbeats
    WHERE metrics IS NOT NULL AND ${isRecent("beat_at")}`,
);
