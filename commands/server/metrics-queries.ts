import { statement } from "../../database/statement";
import { SILENT_SECONDS } from "./queries";

// Read by a monitor every few seconds: each query uses an index or reads few rows. Times are those of
// Postgres.

export const countRecentAlerts = statement<[], { kind: string; value: number }>(
  "server.count-recent-alerts",
  "SELECT kind, count(*)::integer AS value FROM alerts WHERE at > now() - interval '1 hour' GROUP BY kind",
);

export const countOpenAlerts = statement<[], { kind: string; value: number }>(
  "server.count-open-alerts",
  "SELECT kind, count(*)::integer AS value FROM alerts WHERE resolved_at IS NULL GROUP BY kind",
);

/** A delivery is being sent while one of its attempts is: those have an index of their own, and so has what is pending. */
export const countOpenDeliveries = statement<[], { state: "pending" | "sending"; value: number }>(
  "server.count-open-deliveries",
  `SELECT state, count(*)::integer AS value FROM webhook_deliveries WHERE state = 'pending' GROUP BY state
    UNION ALL
   SELECT state, count(*)::integer FROM webhook_attempts WHERE state = 'sending' GROUP BY state`,
);

/** A delivery that waits to be redelivered keeps its creation time, which does not show how long it waits. */
export const readOldestDeliveries = statement<[], { state: string; value: number }>(
  "server.read-oldest-deliveries",
  `SELECT state, extract(epoch FROM now() - min(created_at))::float8 AS value
     FROM webhook_deliveries WHERE state = 'pending' AND attempt_count = 0 GROUP BY state
    UNION ALL
   SELECT state, extract(epoch FROM now() - min(started_at))::float8
     FROM webhook_attempts WHERE state = 'sending' GROUP BY state`,
);

export const countRecentAttempts = statement<[], { outcome: string; value: number }>(
  "server.count-recent-attempts",
  `SELECT CASE WHEN error = 'interrupted' THEN error ELSE state END AS outcome, count(*)::integer AS value
    FROM webhook_attempts WHERE started_at > now() - interval '15 minutes' GROUP BY 1`,
);

export const readDetectionSeconds = statement<[], { stage: string; quantile: string; value: number }>(
  "server.read-detection-seconds",
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
);

export const readSettleSeconds = statement<[], { quantile: string; value: number }>(
  "server.read-settle-seconds",
  `WITH recent AS MATERIALIZED (
      SELECT DISTINCT invoice_id FROM invoice_events
      WHERE body IS NOT NULL AND created_at > now() - interval '15 minutes'
        AND type = 'Settled' AND NOT by_hand AND NOT test
    )
    SELECT q::text AS quantile,
      percentile_disc(q) WITHIN GROUP (ORDER BY extract(epoch FROM confirmed_at - first_seen_at)::float8) AS value
    FROM recent JOIN payments ON payments.invoice_id = recent.invoice_id AND payments.type = 'BTC-LN'
    CROSS JOIN (VALUES (0.5::float8), (0.95), (1)) AS quantiles (q) GROUP BY q`,
);

export const readReceivable = statement<[], { value: string | null }>(
  "server.read-receivable",
  "SELECT receivable_sats AS value FROM payment_method_syncs WHERE type = 'BTC-LN'",
);

export const readHoleAge = statement<[], { value: number }>(
  "server.read-hole-age",
  `SELECT coalesce(extract(epoch FROM now() - min(hole_since)), 0)::float8 AS value FROM lightning_cursors
    HAVING count(*) > 0`,
);

export const countUnfinishedBolt11s = statement<[], { state: string; value: number }>(
  "server.count-unfinished-bolt11s",
  "SELECT state, count(*)::integer AS value FROM bolt11s WHERE state IN ('wanted', 'open') GROUP BY state",
);

export const readBlocksBehind = statement<[], { rail: string; value: number }>(
  "server.read-blocks-behind",
  `SELECT type AS rail, greatest(0, node_height - (SELECT max(height) FROM chain_blocks)) AS value
    FROM payment_method_syncs WHERE type = 'BTC-CHAIN' AND node_height IS NOT NULL AND EXISTS (SELECT FROM chain_blocks)`,
);

export const readCaughtUpAges = statement<[], { rail: string; value: number | null }>(
  "server.read-caught-up-ages",
  "SELECT type AS rail, extract(epoch FROM now() - caught_up_to)::float8 AS value FROM payment_method_syncs",
);

export const readSynchronized = statement<[], { rail: string; value: number }>(
  "server.read-synchronized",
  "SELECT type AS rail, synchronized::integer AS value FROM payment_method_syncs",
);

export const countProcesses = statement<[], { worker: string; value: number }>(
  "server.count-processes",
  `SELECT worker, count(*)::integer AS value FROM heartbeats
    WHERE beat_at > now() - interval '${SILENT_SECONDS} seconds' GROUP BY worker`,
);

/** From each live process, by its last heartbeat. */
export const readSnapshots = statement<[], { metrics: unknown[] }>(
  "server.read-snapshots",
  `SELECT metrics FROM heartbeats
    WHERE metrics IS NOT NULL AND beat_at > now() - interval '${SILENT_SECONDS} seconds'`,
);
