import type { JsonRows } from "../../database/insert-rows";
import { rowsOf } from "../../database/read-rows";
import { statement } from "../../database/statement";
import { Alert, ALERT_CHANNELS, type AlertChannelName, type AlertSeverity } from "../../entities/alert";
import type { AlertMessage } from "../ports";
import { isUnfinished } from "../webhooks/queries";
import { SEALED_COLUMNS } from "./sealed-places";

// The queries of a monitor are in metrics-queries.ts.

export const SILENT_SECONDS = 30;

/** SQL: a time within these seconds. As far ahead it was written before the clock was set back, and says nothing. */
export const isRecent = (time: string, seconds = SILENT_SECONDS): string =>
  `${time} BETWEEN clock_timestamp() - ${seconds} * interval '1 second' AND clock_timestamp() + ${seconds} * interval '1 second'`;

/** SQL: nobody holds it. A lease that expires much later than one renewed now is of a clock that was ahead. */
const isFree = (validSeconds: string): string =>
  `expires_at NOT BETWEEN clock_timestamp() AND clock_timestamp() + 2 * ${validSeconds} * interval '1 second'`;

/** Without a lock: standby processes must not disturb the leader every second. */
export const readFreeLeases = statement<[names: readonly string[], validSeconds: number], { name: string }>(
  "server.read-free-leases",
  `SELECT wanted.name FROM unnest($1::text[]) AS wanted (name) LEFT JOIN leases ON leases.name = wanted.name
    WHERE leases.name IS NULL OR ${isFree("$2")}`,
  "each time",
);

/** Epoch 0 was never led. */
export const createLeases = statement<[names: readonly string[]]>(
  "server.create-leases",
  `INSERT INTO leases (name, holder, epoch, expires_at) SELECT name, '', 0, '-infinity' FROM unnest($1::text[]) AS name
   ON CONFLICT (name) DO NOTHING`,
  "each time",
);

/**
 * FOR UPDATE conflicts with the leader's FOR KEY SHARE, as an UPDATE would not. A lease whose holder is still writing is
 * left for the next time.
 */
export const takeLeases = statement<
  [names: readonly string[], holder: string, validSeconds: number],
  { name: string; epoch: string }
>(
  "server.take-leases",
  `WITH free AS MATERIALIZED (SELECT name FROM leases WHERE name = ANY($1::text[]) AND ${isFree("$3")}
                              ORDER BY name FOR UPDATE SKIP LOCKED)
   UPDATE leases SET holder = $2, epoch = epoch + 1, expires_at = clock_timestamp() + $3 * interval '1 second'
     FROM free WHERE leases.name = free.name RETURNING leases.name, leases.epoch`,
  "each time",
);

export const prolongLeases = statement<
  [names: readonly string[], epochs: readonly string[], validSeconds: number],
  { name: string }
>(
  "server.prolong-leases",
  `UPDATE leases SET expires_at = clock_timestamp() + $3 * interval '1 second'
     FROM unnest($1::text[], $2::bigint[]) AS held (name, epoch)
    WHERE leases.name = held.name AND leases.epoch = held.epoch RETURNING leases.name`,
  "each time",
);

export const endLease = statement<[name: string, epoch: string]>(
  "server.end-lease",
  "UPDATE leases SET expires_at = clock_timestamp() WHERE name = $1 AND epoch = $2",
);

export const holdLease = statement<[name: string, epoch: string], unknown>(
  "server.hold-lease",
  "SELECT 1 FROM leases WHERE name = $1 AND epoch = $2 AND expires_at > clock_timestamp() FOR KEY SHARE",
);

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

export const SEALED_BATCH = 500;

/** By column: read in the order of rows; replaced if unchanged since. */
export const SEALED = SEALED_COLUMNS.map(({ table, column }) => ({
  table,
  column,
  readValues: statement<[after: string], { id: string; value: Buffer }>(
    `server.read-sealed-${table}-${column}`,
    `SELECT id, ${column} AS value FROM ${table} WHERE id > $1 AND ${column} IS NOT NULL
      ORDER BY id LIMIT ${SEALED_BATCH}`,
  ),
  replaceValue: statement<[id: string, before: Buffer, after: Buffer]>(
    `server.seal-again-${table}-${column}`,
    `UPDATE ${table} SET ${column} = $3 WHERE id = $1 AND ${column} = $2`,
  ),
}));

const PRUNED_AT_ONCE = 1_000;
/** A difficulty period: no reorganisation is deeper. */
const BLOCKS_KEPT = 4_032;

/** The operator sets how long. `ORDER BY` finds the oldest by their index: a generic plan would scan the table. */
export const PRUNE_RECORDS = [
  statement<[oldestKept: Date]>(
    "server.prune-bodies",
    `UPDATE invoice_events SET body = NULL WHERE id IN (SELECT e.id FROM invoice_events e
       WHERE e.body IS NOT NULL AND e.created_at < $1 AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d
         WHERE d.event_id = e.id AND ${isUnfinished("d")})
       ORDER BY e.created_at LIMIT ${PRUNED_AT_ONCE})`,
  ),
  statement<[oldestKept: Date]>(
    "server.prune-attempts",
    `DELETE FROM webhook_attempts WHERE (delivery_id, number) IN (SELECT delivery_id, number FROM webhook_attempts
       WHERE state <> 'sending' AND started_at < $1 ORDER BY started_at LIMIT ${PRUNED_AT_ONCE})`,
  ),
  statement<[oldestKept: Date]>(
    "server.prune-reports",
    `DELETE FROM reconciliation_reports WHERE id IN (SELECT id FROM reconciliation_reports
       WHERE at < $1 ORDER BY at LIMIT ${PRUNED_AT_ONCE})`,
  ),
  statement<[oldestKept: Date]>(
    "server.prune-gaps",
    `DELETE FROM chain_gaps WHERE id IN (SELECT id FROM chain_gaps WHERE closed_at < $1 LIMIT ${PRUNED_AT_ONCE})`,
  ),
  statement<[oldestKept: Date]>(
    "server.prune-alerts",
    `DELETE FROM alerts WHERE id IN (SELECT id FROM alerts
       WHERE resolved_at < $1 AND sent_at IS NOT NULL ORDER BY resolved_at LIMIT ${PRUNED_AT_ONCE})`,
  ),
];

export const PRUNE_REST = [
  statement<[now: Date]>(
    "server.prune-heartbeats",
    "DELETE FROM heartbeats WHERE beat_at < $1::timestamptz - interval '10 minutes'",
  ),
  statement<[now: Date]>(
    "server.prune-links",
    "DELETE FROM user_links WHERE expires_at < $1::timestamptz - interval '1 day'",
  ),
  statement<[now: Date]>(
    "server.prune-invitations",
    "DELETE FROM store_invitations WHERE expires_at < $1::timestamptz - interval '1 day'",
  ),
  statement<[now: Date]>("server.prune-sessions", "DELETE FROM sessions WHERE expires_at <= $1"),
  statement<[now: Date]>("server.prune-challenges", "DELETE FROM passkey_challenges WHERE expires_at <= $1"),
  statement<[now: Date]>(
    "server.prune-idempotency-keys",
    // Claimed again while this waited for its lock: found with its new time.
    `DELETE FROM idempotency_keys WHERE expires_at <= $1 AND (store_id, key) IN (SELECT store_id, key
       FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT ${PRUNED_AT_ONCE})`,
  ),
  statement<[now: Date]>(
    "server.prune-blocks",
    `DELETE FROM chain_blocks WHERE $1::timestamptz IS NOT NULL AND height IN (SELECT height FROM chain_blocks
       WHERE height <= (SELECT max(height) FROM chain_blocks) - ${BLOCKS_KEPT} LIMIT ${PRUNED_AT_ONCE})`,
  ),
  statement<[now: Date]>(
    "server.prune-copies",
    "DELETE FROM leases WHERE name LIKE 'lightning-watch@%' AND expires_at < $1::timestamptz - interval '1 hour'",
  ),
];
