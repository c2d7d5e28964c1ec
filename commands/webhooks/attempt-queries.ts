import { statement } from "../../database/statement";
import {
  type AttemptCause,
  type ClaimFacts,
  type DeliveryState,
  LINE_LENGTH,
} from "../../domain/webhook/claim";
import type { WebhookAnswer } from "../ports";
import { HAS_EARLIER_UNFINISHED_DELIVERY, PROVEN } from "./queries";

// What an attempt at a delivery reads and writes, from the look without locks to its answer.

/** All that an attempt is decided and made of, as it was at `now`. */
export interface LoadedDelivery extends ClaimFacts {
  now: Date;
  deliveryId: string;
  state: DeliveryState;
  eventId: string;
  webhookId: string;
  storeId: string;
  invoiceId: string;
  body: Buffer | null;
  test: boolean;
  url: string;
  /** The endpoint's last attempt succeeded. */
  proven: boolean;
  secretEncrypted: Buffer;
  previousSecretEncrypted: Buffer | null;
  previousSecretUntil: Date | null;
}

/** By `ORDER BY`, the deliveries ahead are found in the webhook's own index (database/unindexed). */
export const loadDeliveries = statement<[ids: readonly string[]], Omit<LoadedDelivery, "now">>(
  "webhooks.load-deliveries",
  `SELECT d.id AS "deliveryId", d.state, d.requested_attempt AS "requestedAttempt", d.error,
          d.event_id AS "eventId", d.webhook_id AS "webhookId", d.store_id AS "storeId",
          d.invoice_id AS "invoiceId", e.body, e.test, w.url,
          w.enabled AND w.deleted_at IS NULL AS "webhookActive", w.failure_streak AS "failureStreak",
          ${PROVEN} AS proven,
          w.secret_encrypted AS "secretEncrypted",
          w.previous_secret_encrypted AS "previousSecretEncrypted",
          w.previous_secret_until AS "previousSecretUntil",
          ARRAY(SELECT coalesce(a.slot, -1) FROM webhook_attempts a
                 WHERE a.webhook_id = d.webhook_id AND a.state = 'sending') AS "takenSlots",
          ${HAS_EARLIER_UNFINISHED_DELIVERY} AS "earlierOpen",
          (SELECT count(*)::int FROM (SELECT 1 FROM webhook_deliveries b
            WHERE b.webhook_id = d.webhook_id AND b.event_seq < d.event_seq AND b.state = 'pending'
            ORDER BY b.event_seq LIMIT ${LINE_LENGTH}) AS counted) AS ahead
     FROM webhook_deliveries d
     JOIN webhooks w ON w.id = d.webhook_id
     JOIN invoice_events e ON e.id = d.event_id
    WHERE d.id = ANY($1)`,
);

/**
 * A locked delivery is just being erased, requested again or claimed: it is left to the next read. Two of these that
 * take the same slot wait for each other's commit, and in one order, so that they never deadlock.
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
 * The sweep may have marked them interrupted meanwhile, and the next number may have been requested by hand. One
 * behind a later event of the invoice that was sent stays interrupted: it would be out of order.
 */
export const giveBackAttempts = statement<
  [deliveryIds: readonly string[], numbers: readonly number[], claims: readonly string[]]
>(
  "webhooks.give-back-attempts",
  `WITH locked AS MATERIALIZED (
     SELECT d.id, own.number, own.claim FROM unnest($1::text[], $2::int[], $3::uuid[]) AS own(id, number, claim)
       JOIN webhook_deliveries d ON d.id = own.id
      WHERE NOT EXISTS (SELECT 1 FROM webhook_deliveries later
                         WHERE later.webhook_id = d.webhook_id AND later.invoice_id = d.invoice_id
                           AND later.event_seq > d.event_seq AND later.attempt_count > 0)
      ORDER BY d.id FOR NO KEY UPDATE OF d),
   attempt AS (
     DELETE FROM webhook_attempts a USING locked l
      WHERE a.delivery_id = l.id AND a.number = l.number AND a.claim = l.claim
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
  `UPDATE webhook_deliveries SET state = $4, error = $5, requested_attempt = $6
    WHERE id = $1 AND state = $2 AND requested_attempt = $3`,
);

/** SQL: the outcome of the attempt `a` is unknown, and the sweep's mark yields to a late answer. */
const awaitsAnswer = (a: string): string =>
  `(${a}.state = 'sending' OR (${a}.state = 'failed' AND ${a}.error = 'interrupted'))`;

/** SQL: other deliveries of the webhook wait. By `ORDER BY` they are found in its own index (database/unindexed). */
const othersWait = (webhookId: string): string =>
  `(SELECT true FROM webhook_deliveries p
     WHERE p.webhook_id = ${webhookId} AND p.state = 'pending' ORDER BY p.event_seq LIMIT 1) IS NOT NULL`;

/**
 * Locks the webhook where its failures in a row change, then the delivery, then the attempt.
 */
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
  ],
  {
    /** The endpoint's failures in a row before and after it; null where they stay at none. */
    before: number | null;
    after: number | null;
    /** Other deliveries of the endpoint wait. */
    othersWait: boolean;
  }
>(
  "webhooks.record-answer",
  `WITH webhook AS MATERIALIZED (
     SELECT w.id, w.failure_streak FROM webhooks w
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
     UPDATE webhook_deliveries SET state = $3, http_status = $4, error = $5, duration_ms = $6
      WHERE id = (SELECT delivery_id FROM attempt) AND requested_attempt = $2),
   streak AS (
     UPDATE webhooks w
        SET failure_streak = CASE $3 WHEN 'delivered' THEN 0 ELSE webhook.failure_streak + 1 END,
            ever_delivered = w.ever_delivered OR $3 = 'delivered'
       FROM webhook WHERE w.id = webhook.id AND EXISTS (SELECT FROM attempt)
     RETURNING webhook.failure_streak AS before, w.failure_streak AS after)
   SELECT streak.before, streak.after,
          ${othersWait("$9")} AS "othersWait"
     FROM attempt LEFT JOIN streak ON true`,
);

/**
 * Those that were delivered to endpoints that answered well before. Locks deliveries in the order of their ids, like
 * every lock of several, and then their attempts.
 */
export const recordAllDelivered = statement<
  [
    deliveryIds: readonly string[],
    numbers: readonly number[],
    httpStatuses: readonly (number | null)[],
    durationsMs: readonly number[],
    responseBodies: readonly (Buffer | null)[],
    resolvedIps: readonly (string | null)[],
  ],
  { deliveryId: string; number: number; othersWait: boolean }
>(
  "webhooks.record-all-delivered",
  `WITH answered AS MATERIALIZED (
     SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::int[], $5::bytea[], $6::text[])
                AS a(id, number, http_status, duration_ms, response_body, resolved_ip)),
   locked AS MATERIALIZED (
     SELECT d.id FROM webhook_deliveries d WHERE d.id = ANY($1) ORDER BY d.id FOR NO KEY UPDATE),
   attempt AS (
     UPDATE webhook_attempts t
        SET state = 'delivered', http_status = a.http_status, error = NULL, duration_ms = a.duration_ms,
            response_body = a.response_body, resolved_ip = a.resolved_ip
       FROM locked l JOIN answered a ON a.id = l.id
      WHERE t.delivery_id = a.id AND t.number = a.number AND ${awaitsAnswer("t")}
        AND (SELECT ${PROVEN} FROM webhooks w WHERE w.id = t.webhook_id)
     RETURNING t.delivery_id, t.number, t.webhook_id, t.http_status, t.duration_ms),
   delivery AS (
     UPDATE webhook_deliveries d
        SET state = 'delivered', http_status = t.http_status, error = NULL, duration_ms = t.duration_ms
       FROM attempt t WHERE d.id = t.delivery_id AND d.requested_attempt = t.number)
   SELECT delivery_id AS "deliveryId", number, ${othersWait("attempt.webhook_id")} AS "othersWait" FROM attempt`,
);

/**
 * A request ends after 10 s, and its answer is recorded at once: a process that has not done so by then has died or
 * is cut off.
 */
const STUCK_AFTER_SECONDS = 15;

/** The delivery is locked before the attempt, like everywhere; its holder is just recording the answer. */
export const interruptStuck = statement<
  [now: Date],
  { deliveryId: string; attempt: number; webhookId: string; storeId: string; invoiceId: string }
>(
  "webhooks.interrupt-stuck",
  `WITH stuck AS (
     SELECT d.id, a.number FROM webhook_deliveries d
       JOIN webhook_attempts a ON a.delivery_id = d.id
      WHERE a.state = 'sending' AND a.started_at < $1::timestamptz - ${STUCK_AFTER_SECONDS} * interval '1 second'
        FOR NO KEY UPDATE OF d SKIP LOCKED
   ), interrupted AS (
     UPDATE webhook_attempts a SET state = 'failed', error = 'interrupted' FROM stuck
      WHERE a.delivery_id = stuck.id AND a.number = stuck.number AND a.state = 'sending'
     RETURNING a.delivery_id, a.number, a.webhook_id
   ), ended AS (
     UPDATE webhook_deliveries d SET state = 'failed', error = 'interrupted' FROM interrupted i
      WHERE d.id = i.delivery_id AND d.requested_attempt = i.number AND d.state = 'sending'
   )
   SELECT i.delivery_id AS "deliveryId", i.number AS attempt, i.webhook_id AS "webhookId",
          d.store_id AS "storeId", d.invoice_id AS "invoiceId"
     FROM interrupted i JOIN webhook_deliveries d ON d.id = i.delivery_id`,
);
