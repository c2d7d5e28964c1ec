import type { JsonRows } from "../../database/insert-rows";
import { elementsOf, statement } from "../../database/statement";
import { unindexed } from "../../database/unindexed";
import type { EventType } from "../../domain/invoice/status";
import {
  type DeliveryState,
  HELD_AFTER_RESTORE,
  RETRIES_AWAITED,
  RETRY_SECONDS,
} from "../../domain/webhook/claim";
import { STATE_EVENTS } from "../../domain/webhook/dialect";
import type { Webhook } from "../../entities/webhook";
import type { WebhookDelivery } from "../../entities/webhook-delivery";

// Webhooks, their events and deliveries. What may be sent is chosen by release-queries.ts; attempts are in
// attempt-queries.ts, the event feed in feed-queries.ts.

/** SQL: the last attempt at the webhook `w` succeeded. */
export const PROVEN = "(w.ever_delivered AND w.failure_streak = 0)";

/** SQL: the delivery `a` comes before `b`, of one invoice and webhook. */
export const isBefore = (a: string, b: string): string =>
  `(${a}.event_seq, ${a}.part) < (${b}.event_seq, ${b}.part)`;

/** SQL: the part of an event reports a state of the invoice, in the dialect of shop plugins. */
export const isStateEvent = (d: string): string =>
  `${d}.dialect_type IN (${STATE_EVENTS.map((type) => `'${type}'`).join()})`;

/**
 * SQL: an earlier delivery for invoice and webhook is not over, or waits for a first retry (ADR 0003). As NOT
 * EXISTS, Postgres would join all of the table.
 */
export const HAS_EARLIER_UNFINISHED_DELIVERY = `(SELECT true FROM webhook_deliveries o
  WHERE o.invoice_id = d.invoice_id AND o.webhook_id = d.webhook_id AND ${isBefore("o", "d")}
    AND (${unindexed("o.state")} IN ('pending', 'queued', 'sending') OR (${unindexed("o.state")} = 'failed'
         AND o.retry_at IS NOT NULL AND o.retry_count < ${RETRIES_AWAITED})) ORDER BY o.event_seq DESC LIMIT 1) IS NOT NULL`;

/**
 * SQL: when a delivery of the webhook `w` that failed at an instant with an HTTP status is sent again by itself; null when
 * it is not. Sent again is what may be answered otherwise later: what had no answer, or one that says so. Not a test, which
 * is for the person who is looking.
 */
export const retryAfter = (instant: string, httpStatus: string, d: string, w: string): string =>
  `CASE WHEN (${httpStatus} IS NULL OR ${httpStatus} >= 500 OR ${httpStatus} IN (408, 429))
           AND ${w}.automatic_redelivery AND ${w}.enabled AND ${w}.deleted_at IS NULL
           AND NOT (SELECT event.test FROM invoice_events event WHERE event.id = ${d}.event_id)
    THEN ${instant} + ('{${RETRY_SECONDS.join()}}'::int[])[${d}.retry_count + 1] * interval '1 second' END`;

/** SQL: the delivery's body still exists. One that retention has erased cannot be sent again. */
const BODY_IS_KEPT =
  "EXISTS (SELECT 1 FROM invoice_events event WHERE event.id = event_id AND event.body IS NOT NULL)";

const EVENTS_OF_TYPE = "FROM invoice_events event WHERE event.store_id = :storeId AND event.type = :type";

/**
 * SQL, for deliveries (`delivery`) of the store `:storeId` with the event type `:type`. Few are found by their events;
 * where there are many, the list soon shows some.
 */
export const OF_TYPE = {
  few: `delivery.event_id = ANY(ARRAY(SELECT event.id ${EVENTS_OF_TYPE}))`,
  many: `EXISTS (SELECT 1 ${EVENTS_OF_TYPE} AND event.id = delivery.event_id)`,
};

const FEW_EVENTS = 5_000;

/** Postgres takes them for evenly spread: it would read all deliveries for the few that are old. */
export const hasManyEvents = statement<[storeId: string, type: EventType], { many: boolean }>(
  "webhooks.has-many-events",
  `SELECT (SELECT true FROM invoice_events WHERE store_id = $1 AND type = $2
            ORDER BY store_id, type OFFSET ${FEW_EVENTS} LIMIT 1) IS NOT NULL AS many`,
);

/** SQL, in a query of deliveries (`delivery`): those that wait, each state by its partial index. */
export const WAITS =
  "(delivery.state = 'pending' OR delivery.state IN ('queued', 'sending') AND delivery.state = 'queued')";

/** A delivery that is finished. Only such a delivery can be redelivered. */
export type OverState = Exclude<DeliveryState, "pending" | "queued" | "sending">;
const IS_OVER = "state IN ('delivered', 'failed', 'skipped')";

/** SQL: the delivery's next attempt is requested by hand. */
const APPROVE = "state = 'pending', requested_attempt = requested_attempt + 1, retry_at = NULL";

export type Subscriber = Pick<Webhook, "id" | "storeId" | "events" | "dialect" | "specificEvents">;

/**
 * The webhooks of the invoices' stores. A disabled one is subscribed too: its delivery is recorded as skipped when it is
 * due, and can be sent by hand.
 */
export const readSubscribers = statement<[invoiceIds: readonly string[]], Subscriber>(
  "webhooks.read-subscribers",
  `SELECT id, store_id AS "storeId", events, dialect, specific_events AS "specificEvents" FROM webhooks
    WHERE store_id = ANY(ARRAY(SELECT (SELECT i.store_id FROM invoices i WHERE i.id = asked.id)
                                 FROM unnest(${elementsOf("$1::text[]")}) AS asked (id)))
      AND deleted_at IS NULL`,
);

/** A delivery to be written, of an event of this transaction. */
export type DeliveryRow = Pick<
  WebhookDelivery,
  "id" | "eventId" | "webhookId" | "storeId" | "invoiceId" | "part" | "dialectType" | "dialectFields"
> & { byHand: boolean };

/**
 * While a restore's alert is open, events that may have been sent before the loss are held. The parts' times differ, so
 * that lists keep their order.
 */
export const insertDeliveries = statement<[deliveries: JsonRows<DeliveryRow>, createdAt: Date]>(
  "webhooks.insert-deliveries",
  `WITH hold AS MATERIALIZED (
     SELECT max(restored_at) AS until FROM restores JOIN alerts ON kind = 'restored' AND subject = restores.id
      WHERE resolved_at IS NULL),
   delivery AS (
     SELECT new.*, CASE WHEN hold.until IS NULL OR new."byHand" THEN false
              ELSE coalesce((SELECT i.created_at <= hold.until FROM invoices i WHERE i.id = new."invoiceId"), false)
            END AS held
       FROM hold, json_to_recordset($1)
         AS new (id text, "eventId" text, "webhookId" text, "storeId" text, "invoiceId" text,
                 "byHand" boolean, part smallint, "dialectType" text, "dialectFields" jsonb))
   INSERT INTO webhook_deliveries (id, event_id, event_seq, webhook_id, store_id, invoice_id, part, dialect_type,
                                   dialect_fields, created_at, state, error)
   SELECT id, "eventId", (SELECT e.seq FROM invoice_events e WHERE e.id = "eventId"), "webhookId", "storeId",
          "invoiceId", part, "dialectType", "dialectFields",
          $2::timestamptz + part * interval '1 microsecond', CASE WHEN held THEN 'failed' ELSE 'pending' END,
          CASE WHEN held THEN '${HELD_AFTER_RESTORE}' END
     FROM delivery`,
);

/** The host that the limits on requests count, as its last attempt found it. */
export const setHost = statement<[webhookId: string, url: string, host: string | null]>(
  "webhooks.set-host",
  "UPDATE webhooks SET host = $3 WHERE id = $1 AND url = $2",
);

/** A conditional update, so that only one of several simultaneous requests succeeds. */
export const approveAgain = statement<
  [deliveryId: string],
  { webhookId: string; storeId: string; invoiceId: string }
>(
  "webhooks.approve-again",
  `UPDATE webhook_deliveries SET ${APPROVE}
    WHERE id = $1 AND ${IS_OVER} AND ${BODY_IS_KEPT}
   RETURNING webhook_id AS "webhookId", store_id AS "storeId", invoice_id AS "invoiceId"`,
);

/**
 * Locks, in one order, deliveries in this state whose body is kept. Not EXISTS, which Postgres would make a join of
 * all events.
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
