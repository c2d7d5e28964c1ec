import type { JsonRows } from "../../database/insert-rows";
import { statement } from "../../database/statement";
import {
  type AttemptCause,
  type ClaimFacts,
  type DeliveryState,
  LINE_LENGTH,
} from "../../domain/webhook/claim";
import type { WebhookAnswer } from "../ports";
import type { DialectEvent, PartFields, WebhookDialect } from "../../domain/webhook/dialect";
import { REQUEST_SECONDS } from "../../domain/webhook/dialect";
import { HAS_EARLIER_UNFINISHED_DELIVERY, isBefore, LATER_STATE, PROVEN, retryAfter } from "./queries";

// What an attempt at a delivery reads and writes, from the read without locks to its answer.

/** Everything that an attempt is decided by and made from, as it was at `now`. */
export interface LoadedDelivery extends ClaimFacts {
  now: Date;
  deliveryId: string;
  state: DeliveryState;
  eventId: string;
  webhookId: string;
  storeId: string;
  invoiceId: string;
  /** The event's. */
  body: Buffer | null;
  test: boolean;
  dialect: WebhookDialect;
  dialectType: DialectEvent | null;
  dialectFields: PartFields | null;
  createdAt: Date;
  url: string;
  /** The endpoint's last attempt succeeded. */
  proven: boolean;
  secretEncrypted: Buffer;
  previousSecretEncrypted: Buffer | null;
  previousSecretUntil: Date | null;
}

/** With `ORDER BY` the deliveries ahead are found by the webhook's own index (database/unindexed). */
export const loadDeliveries = statement<[ids: readonly string[]], Omit<LoadedDelivery, "now">>(
  "webhooks.load-deliveries",
  `SELECT d.id AS "deliveryId", d.state, d.requested_attempt AS "requestedAttempt", d.error,
          d.event_id AS "eventId", d.webhook_id AS "webhookId", d.store_id AS "storeId",
          d.invoice_id AS "invoiceId", e.body, e.test, w.url,
          w.dialect, d.dialect_type AS "dialectType", d.dialect_fields AS "dialectFields", d.created_at AS "createdAt",
          d.retry_at AS "retryAt", w.automatic_redelivery AS "automaticRedelivery",
          w.enabled AND w.deleted_at IS NULL AS "webhookActive", w.failure_streak AS "failureStreak",
          ${PROVEN} AS proven,
          w.secret_encrypted AS "secretEncrypted",
          w.previous_secret_encrypted AS "previousSecretEncrypted",
          w.previous_secret_until AS "previousSecretUntil",
          (SELECT alert.at FROM alerts alert WHERE alert.kind = 'secret-unreadable' AND alert.subject = w.id
              AND alert.resolved_at IS NULL) AS "unreadableSince",
          ARRAY(SELECT coalesce(a.slot, -1) FROM webhook_attempts a
                 WHERE a.webhook_id = d.webhook_id AND a.state = 'sending') AS "takenSlots",
          ${HAS_EARLIER_UNFINISHED_DELIVERY} AS "earlierOpen",
          ${LATER_STATE} AS "laterState",
          (SELECT count(*)::int FROM (SELECT 1 FROM webhook_deliveries b
            WHERE b.webhook_id = d.webhook_id AND b.event_seq < d.event_seq AND b.state = 'pending'
            ORDER BY b.event_seq LIMIT ${LINE_LENGTH}) AS counted) AS ahead
     FROM webhook_deliveries d
     JOIN webhooks w ON w.id = d.webhook_id
     JOIN invoice_events e ON e.id = d.event_id
    WHERE d.id = ANY($1)`,
);

/**
 * A locked delivery is being erased, requested again or claimed at this moment: it is left to the next read. Two
 * statements that take the same slot wait for each other's commit, and do so in one order, so that they never
 * deadlock.
 */
export const beginAttempts = statement<
  [
    deliveryIds: readonly string[],
    webhookIds: readonly string[],
    numbers: readonly number[],
    slots: readonly number[],
    causes: readonly AttemptCause[],
    lookedAt: readonly Date[],
    headers: readonly string[],
    states: readonly DeliveryState[],
    requestedAttempts: readonly number[],
    claims: readonly string[],
  ],
  { deliveryId: string }
>(
  "webhooks.begin-attempts",
  `WITH locked AS MATERIALIZED (
     SELECT a.*
       FROM unnest($1::text[], $2::text[], $3::int[], $4::smallint[], $5::text[], $6::timestamptz[], $7::text[],
                   $8::text[], $9::int[], $10::uuid[])
            AS a(id, webhook_id, number, slot, cause, looked_at, headers, state, requested_attempt, claim)
       JOIN webhook_deliveries d
         ON d.id = a.id AND d.state = a.state AND d.requested_attempt = a.requested_attempt
      WHERE clock_timestamp() < a.looked_at + interval '5 seconds'
        AND EXISTS (SELECT 1 FROM invoice_events e WHERE e.id = d.event_id AND e.body IS NOT NULL)
        FOR NO KEY UPDATE OF d SKIP LOCKED),
   attempt AS (
     INSERT INTO webhook_attempts (delivery_id, number, webhook_id, slot, cause, started_at, sent_headers,
                                   claim)
     SELECT id, number, webhook_id, slot, cause, clock_timestamp(), headers::jsonb, claim FROM locked ORDER BY webhook_id, slot
     ON CONFLICT DO NOTHING
     RETURNING delivery_id, number, started_at),
   delivery AS (
     UPDATE webhook_deliveries d
        SET state = 'sending', requested_attempt = a.number, attempt_count = d.attempt_count + 1,
            last_attempt_at = a.started_at, http_status = NULL, error = NULL, duration_ms = NULL
       FROM attempt a WHERE d.id = a.delivery_id)
   SELECT delivery_id AS "deliveryId" FROM attempt`,
);

/**
 * Meanwhile the sweep may have marked them interrupted, and the next number may have been requested by hand. A
 * delivery stays interrupted if a later event of the invoice was sent, since it would be out of order, unless it was
 * requested by hand.
 */
export const giveBackAttempts = statement<
  [deliveryIds: readonly string[], numbers: readonly number[], claims: readonly string[]]
>(
  "webhooks.give-back-attempts",
  `WITH locked AS MATERIALIZED (
     SELECT d.id, own.number, own.claim FROM unnest($1::text[], $2::int[], $3::uuid[]) AS own(id, number, claim)
       JOIN webhook_deliveries d ON d.id = own.id
      ORDER BY d.id FOR NO KEY UPDATE OF d),
   attempt AS (
     DELETE FROM webhook_attempts a USING locked l JOIN webhook_deliveries d ON d.id = l.id
      WHERE a.delivery_id = l.id AND a.number = l.number AND a.claim = l.claim
        AND (a.cause = 'manual' OR NOT EXISTS (
          SELECT 1 FROM webhook_deliveries later
           WHERE later.webhook_id = d.webhook_id AND later.invoice_id = d.invoice_id
             AND ${isBefore("d", "later")} AND later.attempt_count > 0))
     RETURNING a.delivery_id, a.number)
   UPDATE webhook_deliveries d
      SET state = CASE WHEN d.requested_attempt = a.number THEN 'pending' ELSE d.state END,
          error = CASE WHEN d.requested_attempt = a.number THEN NULL ELSE d.error END,
          attempt_count = d.attempt_count - 1,
          last_attempt_at = (SELECT max(o.started_at) FROM webhook_attempts o
                              WHERE o.delivery_id = d.id AND o.number <> a.number)
     FROM attempt a WHERE d.id = a.delivery_id`,
);

/** Changes nothing when the delivery has changed since it was read. */
export const endUnsent = statement<
  [
    deliveryId: string,
    seenState: DeliveryState,
    seenAttempt: number,
    state: "skipped" | "failed",
    error: string | null,
    attempt: number,
  ]
>(
  "webhooks.end-unsent",
  `UPDATE webhook_deliveries SET state = $4, error = $5, requested_attempt = $6, retry_at = NULL
    WHERE id = $1 AND state = $2 AND requested_attempt = $3`,
);

/** Changes nothing when the delivery has changed since it was read. What it shows is its last attempt. */
export const endRequestedRetry = statement<[deliveryId: string, requestedAttempt: number]>(
  "webhooks.end-requested-retry",
  `UPDATE webhook_deliveries d SET state = 'failed', retry_at = NULL, (http_status, error, duration_ms) =
     (SELECT coalesce(d.http_status, last.http_status), coalesce(d.error, last.error),
             coalesce(d.duration_ms, last.duration_ms)
        FROM (SELECT) AS one LEFT JOIN LATERAL (SELECT a.* FROM webhook_attempts a
          WHERE a.delivery_id = d.id ORDER BY a.number DESC LIMIT 1) AS last ON true)
    WHERE id = $1 AND state = 'pending' AND retry_at IS NOT NULL AND requested_attempt = $2`,
);

/** SQL: the outcome of the attempt `a` is unknown, and the sweep's mark is replaced by a late answer. */
const awaitsAnswer = (a: string): string =>
  `(${a}.state = 'sending' OR (${a}.state = 'failed' AND ${a}.error = 'interrupted'))`;

/** SQL: other deliveries of the webhook wait. With `ORDER BY` they are found by its own index (database/unindexed). */
const othersWait = (webhookId: string): string =>
  `(SELECT true FROM webhook_deliveries p
     WHERE p.webhook_id = ${webhookId} AND p.state = 'pending' ORDER BY p.event_seq LIMIT 1) IS NOT NULL`;

/** Locks the webhook if its failure streak changes, then the delivery, then the attempt. */
export const recordAnswer = statement<
  [
    deliveryId: string,
    number: number,
    outcome: WebhookAnswer["outcome"],
    httpStatus: number | null,
    error: string | null,
    durationMs: number,
    responseBody: Buffer | null,
    resolvedIp: string | null,
    webhookId: string,
    /** When it failed, of one that may be sent again by itself; else null. */
    failedAt: Date | null,
  ],
  {
    /** When it is sent again by itself. */
    retryAt: Date | null;
    /** The endpoint's failures in a row before and after it; null where they stay at none. */
    before: number | null;
    after: number | null;
    /** Other deliveries of the endpoint wait. */
    othersWait: boolean;
  }
>(
  "webhooks.record-answer",
  `WITH webhook AS MATERIALIZED (
     SELECT w.id, w.failure_streak, w.automatic_redelivery, w.enabled, w.deleted_at FROM webhooks w
      WHERE w.id = $9 AND NOT ($3 = 'delivered' AND ${PROVEN}) FOR NO KEY UPDATE),
   delivery AS MATERIALIZED (
     SELECT d.id FROM webhook_deliveries d
      WHERE d.id = $1 AND (SELECT count(*) FROM webhook) >= 0 FOR NO KEY UPDATE),
   attempt AS (
     UPDATE webhook_attempts a
        SET state = $3, http_status = $4, error = $5, duration_ms = $6, response_body = $7, resolved_ip = $8
      WHERE delivery_id = (SELECT id FROM delivery) AND number = $2 AND ${awaitsAnswer("a")}
     RETURNING delivery_id),
   followed AS (
     UPDATE webhook_deliveries d SET state = $3, http_status = $4, error = $5, duration_ms = $6,
            retry_at = (SELECT ${retryAfter("$10::timestamptz", "d", "webhook")} FROM webhook)
      WHERE d.id = (SELECT delivery_id FROM attempt) AND d.requested_attempt = $2
     RETURNING d.retry_at),
   streak AS (
     UPDATE webhooks w
        SET failure_streak = CASE $3 WHEN 'delivered' THEN 0 ELSE webhook.failure_streak + 1 END,
            ever_delivered = w.ever_delivered OR $3 = 'delivered'
       FROM webhook WHERE w.id = webhook.id AND EXISTS (SELECT FROM attempt)
     RETURNING webhook.failure_streak AS before, w.failure_streak AS after)
   SELECT streak.before, streak.after, (SELECT retry_at FROM followed) AS "retryAt",
          ${othersWait("$9")} AS "othersWait"
     FROM attempt LEFT JOIN streak ON true`,
);

export interface DeliveredAnswer extends Pick<
  WebhookAnswer,
  "httpStatus" | "durationMs" | "responseBody" | "resolvedIp"
> {
  deliveryId: string;
  number: number;
}

/**
 * Attempts delivered to endpoints whose previous attempt succeeded. Locks deliveries in the order of their ids,
 * like every lock of several, and then their attempts.
 */
export const recordAllDelivered = statement<
  [answers: JsonRows<DeliveredAnswer>],
  { deliveryId: string; number: number; othersWait: boolean }
>(
  "webhooks.record-all-delivered",
  `WITH answered AS MATERIALIZED (SELECT * FROM json_to_recordset($1)
       AS a("deliveryId" text, number int, "httpStatus" int, "durationMs" int, "responseBody" bytea, "resolvedIp" text)),
   locked AS MATERIALIZED (
     SELECT d.id FROM webhook_deliveries d WHERE d.id = ANY(ARRAY(SELECT "deliveryId" FROM answered))
      ORDER BY d.id FOR NO KEY UPDATE),
   attempt AS (
     UPDATE webhook_attempts t
        SET state = 'delivered', http_status = a."httpStatus", error = NULL, duration_ms = a."durationMs",
            response_body = a."responseBody", resolved_ip = a."resolvedIp"
       FROM locked l JOIN answered a ON a."deliveryId" = l.id
      WHERE t.delivery_id = l.id AND t.number = a.number AND ${awaitsAnswer("t")}
        AND (SELECT ${PROVEN} FROM webhooks w WHERE w.id = t.webhook_id)
     RETURNING t.delivery_id, t.number, t.webhook_id, t.http_status, t.duration_ms),
   delivery AS (
     UPDATE webhook_deliveries d
        SET state = 'delivered', http_status = t.http_status, error = NULL, duration_ms = t.duration_ms,
            retry_at = NULL
       FROM attempt t WHERE d.id = t.delivery_id AND d.requested_attempt = t.number)
   SELECT delivery_id AS "deliveryId", number, ${othersWait("attempt.webhook_id")} AS "othersWait" FROM attempt`,
);

/** By then a process has died that has not recorded an answer. One so far ahead is of before the clock was set back. */
const STUCK_AFTER = `(CASE w.dialect WHEN 'native' THEN ${REQUEST_SECONDS.native} ELSE ${REQUEST_SECONDS.greenfield} END
                      + 5) * interval '1 second'`;

/** The delivery is locked before the attempt, as everywhere. If it is locked already, the answer is being recorded. */
export const interruptStuck = statement<
  [now: Date],
  { deliveryId: string; attempt: number; webhookId: string; storeId: string; invoiceId: string }
>(
  "webhooks.interrupt-stuck",
  `WITH stuck AS (
     SELECT d.id, a.number FROM webhook_deliveries d
       JOIN webhook_attempts a ON a.delivery_id = d.id
       JOIN webhooks w ON w.id = a.webhook_id
      WHERE a.state = 'sending'
        AND a.started_at NOT BETWEEN $1::timestamptz - ${STUCK_AFTER} AND $1::timestamptz + ${STUCK_AFTER}
        FOR NO KEY UPDATE OF d SKIP LOCKED
   ), interrupted AS (
     UPDATE webhook_attempts a SET state = 'failed', error = 'interrupted' FROM stuck
      WHERE a.delivery_id = stuck.id AND a.number = stuck.number AND a.state = 'sending'
     RETURNING a.delivery_id, a.number, a.webhook_id
   ), ended AS (
     UPDATE webhook_deliveries d
        SET state = 'failed', error = 'interrupted', retry_at = ${retryAfter("$1::timestamptz", "d", "w")}
       FROM interrupted i JOIN webhooks w ON w.id = i.webhook_id
      WHERE d.id = i.delivery_id AND d.requested_attempt = i.number AND d.state = 'sending'
   )
   SELECT i.delivery_id AS "deliveryId", i.number AS attempt, i.webhook_id AS "webhookId",
          d.store_id AS "storeId", d.invoice_id AS "invoiceId"
     FROM interrupted i JOIN webhook_deliveries d ON d.id = i.delivery_id`,
);
