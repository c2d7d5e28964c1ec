import type { JsonRows } from "../../database/insert-rows";
import { statement } from "../../database/statement";
import { unindexed } from "../../database/unindexed";
import type { EventType } from "../../domain/invoice/status";
import {
  type DeliveryState,
  FAILING_STREAK,
  HELD_AFTER_RESTORE,
  inFlightLimit,
  RETRIES_AWAITED,
  RETRY_SECONDS,
} from "../../domain/webhook/claim";
import { STATE_EVENTS } from "../../domain/webhook/dialect";
import type { Webhook } from "../../entities/webhook";
import type { WebhookDelivery } from "../../entities/webhook-delivery";

// Webhooks, their events and their queued deliveries; the statements of an attempt are in attempt-queries.ts, those of
// the event feed in feed-queries.ts.

/** SQL: the last attempt at the webhook `w` succeeded. */
export const PROVEN = "(w.ever_delivered AND w.failure_streak = 0)";

/** SQL: the delivery waits to be sent again by itself. */
export const waitsForRetry = (d: string): string => `(${d}.state = 'failed' AND ${d}.retry_at IS NOT NULL)`;

/** SQL: the delivery is not over: it waits, is being sent, or waits to be sent again. */
export const isUnfinished = (d: string): string =>
  `(${d}.state IN ('pending', 'sending') OR ${waitsForRetry(d)})`;

/** SQL: the delivery `a` comes before `b`, of one invoice and webhook. */
export const isBefore = (a: string, b: string): string =>
  `(${a}.event_seq, ${a}.part) < (${b}.event_seq, ${b}.part)`;

const isStateEvent = (d: string): string =>
  `${d}.dialect_type IN (${STATE_EVENTS.map((type) => `'${type}'`).join()})`;

/**
 * SQL: the delivery `d` has an earlier one, to the same webhook and for the same invoice, that is pending or being sent,
 * or waits for one of its first retries (docs/adr/0074). Not EXISTS: Postgres would make a join of it, and read all of the
 * table for the few deliveries that are asked about. The last one before it comes first: where thousands of one invoice
 * wait, each waits for that one.
 */
export const HAS_EARLIER_UNFINISHED_DELIVERY = `(SELECT true FROM webhook_deliveries o
  WHERE o.invoice_id = d.invoice_id AND o.webhook_id = d.webhook_id AND ${isBefore("o", "d")}
    AND (${unindexed("o.state")} IN ('pending', 'sending') OR (${unindexed("o.state")} = 'failed'
         AND o.retry_at IS NOT NULL AND o.retry_count < ${RETRIES_AWAITED})) ORDER BY o.event_seq DESC LIMIT 1) IS NOT NULL`;

/**
 * SQL: of the retry `d` of an invoice's state, whether a later one was delivered to the same webhook or, if none was, is
 * being sent: it would set the shop back.
 */
export const LATER_STATE = `CASE WHEN d.state = 'pending' AND d.retry_at IS NOT NULL AND ${isStateEvent("d")} THEN
  (SELECT min(l.state) FROM webhook_deliveries l
    WHERE l.invoice_id = d.invoice_id AND l.webhook_id = d.webhook_id AND ${isBefore("d", "l")}
      AND ${unindexed("l.state")} IN ('delivered', 'sending') AND ${isStateEvent("l")}) END`;

/**
 * SQL: when a delivery of the webhook `w` that failed at an instant is sent again by itself; null when it is not. Of a
 * webhook that is disabled meanwhile nothing is sent when it is due. A test is for the person who is looking.
 */
export const retryAfter = (instant: string, d: string, w: string): string =>
  `CASE WHEN ${w}.automatic_redelivery AND ${w}.enabled AND ${w}.deleted_at IS NULL
           AND NOT (SELECT event.test FROM invoice_events event WHERE event.id = ${d}.event_id)
    THEN ${instant} + ('{${RETRY_SECONDS.join()}}'::int[])[${d}.retry_count + 1] * interval '1 second' END`;

/** SQL: the delivery's body still exists. One that retention has erased cannot be sent again. */
const BODY_IS_KEPT =
  "EXISTS (SELECT 1 FROM invoice_events event WHERE event.id = event_id AND event.body IS NOT NULL)";

/** SQL, in a query of deliveries (`delivery`) of the store `:storeId`: those of events of the type `:type`. */
export const OF_TYPE = `EXISTS (SELECT 1 FROM invoice_events event
  WHERE event.id = delivery.event_id AND event.store_id = :storeId AND event.type = :type)`;

/** SQL, in a query of deliveries (`delivery`): those that are being sent, found by their attempts, which have an index. */
export const IS_BEING_SENT = `delivery.state = 'sending' AND delivery.id IN (
  SELECT attempt.delivery_id FROM webhook_attempts attempt
   WHERE attempt.webhook_id = delivery.webhook_id AND attempt.state = 'sending')`;

/** A delivery that is finished. Only such a delivery can be redelivered. */
export type OverState = Exclude<DeliveryState, "pending" | "sending">;
const IS_OVER = "state IN ('delivered', 'failed', 'skipped')";

/** SQL: the delivery's next attempt is requested by hand. */
const APPROVE = "state = 'pending', requested_attempt = requested_attempt + 1, retry_at = NULL";

export const deleteAll = statement<[ids: readonly string[], storeId: string], { id: string }>(
  "webhooks.delete-all",
  `UPDATE webhooks SET deleted_at = clock_timestamp(), enabled = false
    WHERE id = ANY($1::text[]) AND store_id = $2 AND deleted_at IS NULL RETURNING id`,
);

/** Nothing of a webhook is sent again by itself any more. */
export const endRetries = statement<[webhookIds: readonly string[]]>(
  "webhooks.end-retries",
  `UPDATE webhook_deliveries SET retry_at = NULL WHERE id IN (
     SELECT d.id FROM webhook_deliveries d
      WHERE ${unindexed("d.webhook_id")} = ANY($1::text[]) AND ${waitsForRetry("d")} ORDER BY d.id FOR NO KEY UPDATE)`,
);

/** A disabled webhook is subscribed too: its delivery is recorded as skipped when it is due, and can be sent by hand. */
export const readSubscribers = statement<
  [storeIds: readonly string[]],
  Pick<Webhook, "id" | "storeId" | "events" | "dialect" | "specificEvents"> & { proven: boolean }
>(
  "webhooks.read-subscribers",
  `SELECT id, store_id AS "storeId", events, dialect, specific_events AS "specificEvents", ${PROVEN} AS proven
     FROM webhooks w WHERE store_id = ANY($1::text[]) AND deleted_at IS NULL`,
);

/** A delivery to be written. */
export type DeliveryRow = Pick<
  WebhookDelivery,
  | "id"
  | "eventId"
  | "eventSeq"
  | "webhookId"
  | "storeId"
  | "invoiceId"
  | "part"
  | "dialectType"
  | "dialectFields"
> & { byHand: boolean };

/**
 * Those of invoices that came from a backup end as held, while that restore's hold lasts: before the loss the same may
 * have been sent. Not what a person has just asked for. The parts of an event differ in their times, so that lists show
 * them in their order. Returns those that are held.
 */
export const insertDeliveries = statement<
  [deliveries: JsonRows<DeliveryRow>, createdAt: Date],
  { id: string }
>(
  "webhooks.insert-deliveries",
  `WITH hold AS MATERIALIZED (SELECT max(restored_at) AS until FROM restores WHERE hold_ended_at IS NULL),
   delivery AS (
     SELECT new.*, CASE WHEN hold.until IS NULL OR new."byHand" THEN false
              ELSE coalesce((SELECT i.created_at <= hold.until FROM invoices i WHERE i.id = new."invoiceId"), false)
            END AS held
       FROM hold, json_to_recordset($1)
         AS new (id text, "eventId" text, "eventSeq" bigint, "webhookId" text, "storeId" text, "invoiceId" text,
                 "byHand" boolean, part smallint, "dialectType" text, "dialectFields" jsonb)),
   inserted AS (
     INSERT INTO webhook_deliveries (id, event_id, event_seq, webhook_id, store_id, invoice_id, part, dialect_type,
                                     dialect_fields, created_at, state, error)
     SELECT id, "eventId", "eventSeq", "webhookId", "storeId", "invoiceId", part, "dialectType", "dialectFields",
            $2::timestamptz + part * interval '1 microsecond', CASE WHEN held THEN 'failed' ELSE 'pending' END,
            CASE WHEN held THEN '${HELD_AFTER_RESTORE}' END
       FROM delivery)
   SELECT id FROM delivery WHERE held`,
);

/** A delivery that could be sent now. */
export interface DueDelivery {
  deliveryId: string;
  attempt: number;
  proven: boolean;
}

/**
 * For each of these webhooks as many of the oldest as its limit allows, without those that wait for an earlier
 * event of their invoice, or an earlier part of their event. Those behind them are woken when these end. With the index's
 * own order and a limit that the planner sees, it reads only these of however many wait (database/unindexed).
 */
const dueOf = (webhooks: string): string =>
  `SELECT due.id AS "deliveryId", due.requested_attempt AS attempt, ${PROVEN} AS proven
     FROM webhooks w
     CROSS JOIN LATERAL (SELECT count(*) AS n FROM webhook_attempts a
                          WHERE a.webhook_id = w.id AND a.state = 'sending') AS flight
     CROSS JOIN LATERAL (SELECT * FROM (
                           SELECT d.id, d.requested_attempt, d.event_seq FROM webhook_deliveries d
                            WHERE d.webhook_id = w.id AND d.state = 'pending'
                              AND NOT ${HAS_EARLIER_UNFINISHED_DELIVERY}
                            ORDER BY d.event_seq LIMIT ${inFlightLimit(0)}) AS oldest
                          ORDER BY event_seq
                          LIMIT greatest(0, CASE WHEN w.failure_streak >= ${FAILING_STREAK}
                            THEN ${inFlightLimit(FAILING_STREAK)} ELSE ${inFlightLimit(0)} END - flight.n)) AS due
    WHERE ${webhooks}`;

export const findDue = statement<[webhookIds: readonly string[]], DueDelivery>(
  "webhooks.find-due",
  dueOf("w.id = ANY($1)"),
);

/** Newer ones have just been enqueued by their writers. Those of the future were written before the clock was set back. */
const FORGOTTEN_AFTER_SECONDS = 3;

export const findForgotten = statement<[now: Date], DueDelivery>(
  "webhooks.find-forgotten",
  dueOf(`w.id IN (SELECT p.webhook_id FROM webhook_deliveries p WHERE p.state = 'pending'
            AND p.created_at NOT BETWEEN $1::timestamptz - ${FORGOTTEN_AFTER_SECONDS} * interval '1 second'
                                     AND $1::timestamptz + ${FORGOTTEN_AFTER_SECONDS} * interval '1 second')`),
);

/** One conditional update, so that only one of several simultaneous requests succeeds. */
export const approveAgain = statement<
  [deliveryId: string],
  { attempt: number; webhookId: string; invoiceId: string }
>(
  "webhooks.approve-again",
  `UPDATE webhook_deliveries SET ${APPROVE}
    WHERE id = $1 AND ${IS_OVER} AND ${BODY_IS_KEPT}
   RETURNING requested_attempt AS attempt, webhook_id AS "webhookId", invoice_id AS "invoiceId"`,
);

/**
 * Of these deliveries those that are still in this state and whose body is kept, of events of a type if one is given;
 * locked in one order. Not EXISTS, which Postgres would make a join of all events.
 */
export const approveAll = statement<[ids: readonly string[], state: OverState, type: EventType | null]>(
  "webhooks.approve-all",
  `UPDATE webhook_deliveries SET ${APPROVE} WHERE id = ANY(ARRAY(
     SELECT d.id FROM webhook_deliveries d
      WHERE d.id = ANY($1::text[]) AND ${unindexed("d.state")} = $2
        AND (SELECT event.body IS NOT NULL AND ($3::text IS NULL OR event.type = $3)
               FROM invoice_events event WHERE event.id = d.event_id)
      ORDER BY d.id FOR NO KEY UPDATE))`,
  "each time",
);

const REQUEST_RETRY =
  "SET state = 'pending', requested_attempt = d.requested_attempt + 1, retry_count = d.retry_count + 1";
const IS_DUE_FOR_RETRY = `${waitsForRetry("d")} AND d.retry_at <= $1::timestamptz`;

/** Requests the next attempt of one whose time has come; of several at once one does. */
export const requestRetry = statement<[now: Date, deliveryId: string]>(
  "webhooks.request-retry",
  `UPDATE webhook_deliveries d ${REQUEST_RETRY} WHERE ${IS_DUE_FOR_RETRY} AND d.id = $2`,
);

const RETRIES_AT_ONCE = 1_000;
/** Of one webhook, so that its backlog, however large, leaves room for those of others. */
const RETRIES_OF_ONE = 100;

/**
 * Those whose jobs the queue lost: of each webhook the oldest first, and the first of each before the second of any. One
 * that is locked is just being requested. The webhooks are found by one step through the index for each.
 */
export const requestForgottenRetries = statement<[now: Date]>(
  "webhooks.request-forgotten-retries",
  `WITH RECURSIVE late (webhook_id) AS (
     (SELECT d.webhook_id FROM webhook_deliveries d WHERE ${waitsForRetry("d")}
       ORDER BY d.webhook_id, d.retry_at LIMIT 1)
     UNION ALL
     SELECT next.webhook_id FROM late CROSS JOIN LATERAL (
       SELECT d.webhook_id FROM webhook_deliveries d WHERE ${waitsForRetry("d")} AND d.webhook_id > late.webhook_id
        ORDER BY d.webhook_id, d.retry_at LIMIT 1) AS next),
   fair AS (
     SELECT one.id FROM late CROSS JOIN LATERAL (
       SELECT d.id, d.retry_at, row_number() OVER (ORDER BY d.retry_at) AS place FROM webhook_deliveries d
        WHERE ${IS_DUE_FOR_RETRY} AND d.webhook_id = late.webhook_id
        ORDER BY d.retry_at LIMIT ${RETRIES_OF_ONE}) AS one
      ORDER BY one.place, one.retry_at LIMIT ${RETRIES_AT_ONCE})
   UPDATE webhook_deliveries d ${REQUEST_RETRY}
     FROM (SELECT d.id FROM webhook_deliveries d WHERE d.id = ANY(ARRAY(SELECT id FROM fair))
              AND ${unindexed("d.state")} = 'failed' AND d.retry_at <= $1::timestamptz FOR NO KEY UPDATE SKIP LOCKED) AS due
    WHERE d.id = due.id`,
);
