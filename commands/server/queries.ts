import type { JsonRows } from "../../database/insert-rows";
import { statement, rowsOf } from "../../database/statement";
import { Alert, ALERT_CHANNELS, type AlertChannelName, type AlertSeverity } from "../../entities/alert";
import type { AlertMessage } from "../ports";

// The queries of a monitor are in metrics-queries.ts.

export const SILENT_SECONDS = 30;

/** SQL: a time within these seconds. As far ahead it was written before the clock was set back, and says nothing. */
export const isRecent = (time: string, seconds = SILENT_SECONDS): string =>
  `${time} BETWEEN clock_timestamp() - ${seconds} * interval '1 second' AND clock_timestamp() + ${seconds} * interval '1 second'`;

/** `rows`: JSON of `{instanceId, worker, metrics}`. */
export const writeHeartbeats = statement<[rows: string, startedAt: Date]>(
  "server.write-heartbeats",
  `INSERT INTO heartbeats (instance_id, worker, started_at, beat_at, metrics)
   SELECT "instanceId", worker, $2, clock_timestamp(), metrics
     FROM json_to_recordset($1) AS alive("instanceId" text, worker text, metrics json)
   ON CONFLICT (instance_id) DO UPDATE SET beat_at = excluded.beat_at, metrics = excluded.metrics`,
);

/** After so long a heartbeat of chain-watch counts as a start, from which expiries may be held. */
const RESTARTED_AFTER_SECONDS = 60;

/** For all processes of chain-watch: each removes its own row when it ends. */
export const writeWatchHeartbeat = statement(
  "server.write-watch-heartbeat",
  `UPDATE payment_method_syncs SET watch_beat_at = clock_timestamp(),
          watch_started_at = CASE
            WHEN coalesce(NOT (${isRecent("watch_beat_at", RESTARTED_AFTER_SECONDS)}), true)
            THEN clock_timestamp() ELSE watch_started_at END
    WHERE type = 'BTC-CHAIN'`,
);

export const upsertSync = statement<
  [caughtUpTo: Date | null, synchronized: boolean, nodeHeight: number | null, problem: string | null]
>(
  "server.upsert-sync",
  `INSERT INTO payment_method_syncs AS sync (type, caught_up_to, checked_at, synchronized, node_height, problem)
   VALUES ('BTC-CHAIN', $1, clock_timestamp(), $2, $3, $4)
   ON CONFLICT (type) DO UPDATE SET
     caught_up_to = COALESCE(excluded.caught_up_to, sync.caught_up_to), checked_at = excluded.checked_at,
     synchronized = excluded.synchronized, node_height = COALESCE(excluded.node_height, sync.node_height),
     problem = excluded.problem, loss_at = CASE WHEN excluded.caught_up_to IS NULL THEN sync.loss_at END`,
);

export const markLoss = statement(
  "server.mark-loss",
  `INSERT INTO payment_method_syncs (type, checked_at, loss_at) VALUES ('BTC-CHAIN', clock_timestamp(), clock_timestamp())
   ON CONFLICT (type) DO UPDATE SET loss_at = excluded.loss_at`,
);

/** Postgres commits one notifying transaction at a time: it does nothing else, and does not wait for the disk. */
export const notifyAll = statement<[channel: string, payloads: readonly string[]], unknown>(
  "server.notify-all",
  "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, payload) FROM unnest($2::text[]) AS payload",
);

const MESSAGE = ["id", "kind", "severity", "storeId", "invoiceId", "message", "at", "resolvedAt"] as const;

/**
 * A wallet's change is sent by its own process until `until` (`sendAtOnce`). The channel is in the text: a generic plan
 * would use no channel's index.
 */
const readUnsentOf = (channel: AlertChannelName) =>
  rowsOf(Alert, MESSAGE).statement<[severity: AlertSeverity, limit: number, until: Date]>(
    `server.read-unsent-${channel}`,
    `WHERE sent_at IS NULL AND '${channel}' <> ALL (accepted_by) AND severity = $1
       AND (kind <> 'wallet-changed' OR at <= $3) ORDER BY at, id LIMIT $2`,
  );

/** By channel, of a severity, the oldest first. */
export const READ_UNSENT = Object.fromEntries(
  ALERT_CHANNELS.map((channel) => [channel, readUnsentOf(channel)]),
) as Readonly<Record<AlertChannelName, ReturnType<typeof readUnsentOf>>>;

/**
 * `channels` are all that there are. An alert whose message changed since remains to be sent. Locked in one order:
 * channels record at once.
 */
export const recordAccepted = statement<
  [
    sent: JsonRows<Pick<AlertMessage, "alertId" | "message">>,
    channel: AlertChannelName,
    channels: readonly AlertChannelName[],
    now: Date,
  ],
  { sent: boolean }
>(
  "server.record-accepted",
  `UPDATE alerts SET accepted_by = array_append(accepted_by, $2::text),
          sent_at = CASE WHEN array_append(accepted_by, $2::text) @> $3::text[] THEN $4::timestamptz END
     FROM (SELECT alerts.id FROM alerts JOIN json_to_recordset($1) AS sent ("alertId" text, message text)
               ON alerts.id = sent."alertId" AND alerts.message = sent.message
            WHERE sent_at IS NULL AND $2::text <> ALL (accepted_by)
            ORDER BY alerts.id FOR NO KEY UPDATE OF alerts) AS accepted
    WHERE alerts.id = accepted.id
    RETURNING alerts.sent_at IS NOT NULL AS sent`,
);

/** There is no such channel any more. */
export const endUnsent = statement<[channels: readonly AlertChannelName[], now: Date]>(
  "server.end-unsent",
  "UPDATE alerts SET sent_at = $2 WHERE sent_at IS NULL AND accepted_by @> $1::text[]",
);
