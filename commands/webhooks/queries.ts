import { PAGE_MAX_BYTES } from "../../database/pagination";
import { statement } from "../../database/statement";
import { unindexed } from "../../database/unindexed";
import type { AdditionalStatus, EventType } from "../../domain/invoice/status";
import { FAILING_STREAK, inFlightLimit } from "../../domain/webhook/claim";
import type { Webhook } from "../../entities/webhook";

// Webhooks, their events and their queued deliveries; the statements of an attempt are in attempt-queries.ts.

/** SQL: the last attempt at the webhook `w` succeeded. */
export const PROVEN = "(w.ever_delivered AND w.failure_streak = 0)";

/** SQL: of the delivery `d`, an earlier one to the same webhook about the same invoice is not over yet. */
export const HAS_EARLIER_UNFINISHED_DELIVERY = `EXISTS (SELECT 1 FROM webhook_deliveries o
  WHERE o.invoice_id = d.invoice_id AND ${unindexed("o.webhook_id")} = d.webhook_id AND o.event_seq < d.event_seq
    AND ${unindexed("o.state")} IN ('pending', 'sending'))`;

/** SQL: the delivery's body still exists. One that retention has erased cannot be sent again. */
export const BODY_IS_KEPT =
  "EXISTS (SELECT 1 FROM invoice_events event WHERE event.id = event_id AND event.body IS NOT NULL)";

/** SQL: a delivery that waits for nothing any more. Only such a one is sent again. */
export const IS_OVER = "state IN ('delivered', 'failed', 'skipped')";

export const deleteAll = statement<[ids: readonly string[], storeId: string], { id: string }>(
  "webhooks.delete-all",
  `UPDATE webhooks SET deleted_at = clock_timestamp(), enabled = false
    WHERE id = ANY($1::text[]) AND store_id = $2 AND deleted_at IS NULL RETURNING id`,
);

/** Returns each event's place. */
export const insertEvents = statement<
  [
    ids: readonly string[],
    storeIds: readonly string[],
    invoiceIds: readonly string[],
    types: readonly EventType[],
    additionalStatuses: readonly AdditionalStatus[],
    rounds: readonly number[],
    byHand: readonly boolean[],
    bodies: readonly Buffer[],
    createdAt: Date,
  ],
  { id: string; seq: string }
>(
  "webhooks.insert-events",
  `INSERT INTO invoice_events (id, store_id, invoice_id, type, additional_status, round, by_hand, body, created_at)
   SELECT id, store_id, invoice_id, type, additional_status, round, by_hand, body, $9::timestamptz
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::boolean[], $8::bytea[])
          WITH ORDINALITY
       AS event (id, store_id, invoice_id, type, additional_status, round, by_hand, body, number)
    ORDER BY number RETURNING id, seq`,
);

/** A disabled webhook is subscribed too: its delivery is recorded as skipped when it is due, and can be sent by hand. */
export const readSubscribers = statement<
  [storeIds: readonly string[]],
  Pick<Webhook, "id" | "storeId" | "events"> & { proven: boolean }
>(
  "webhooks.read-subscribers",
  `SELECT id, store_id AS "storeId", events, ${PROVEN} AS proven
     FROM webhooks w WHERE store_id = ANY($1::text[]) AND deleted_at IS NULL`,
);

export const insertDeliveries = statement<
  [
    ids: readonly string[],
    eventIds: readonly string[],
    eventSeqs: readonly string[],
    webhookIds: readonly string[],
    storeIds: readonly string[],
    invoiceIds: readonly string[],
    createdAt: Date,
  ]
>(
  "webhooks.insert-deliveries",
  `INSERT INTO webhook_deliveries (id, event_id, event_seq, webhook_id, store_id, invoice_id, created_at)
   SELECT *, $7::timestamptz FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[])`,
);

/** SQL: has no place in the feed of this store yet. */
const unfed = (storeId: string): string => `store_id = ${storeId} AND feed_seq IS NULL AND NOT test`;
/** More than a page has, and few enough to be written in no time. */
const PLACED_AT_ONCE = 1_000;

/** An event of a store's feed. */
export interface FeedEvent {
  /** Its place: a number without gaps. */
  seq: string;
  eventId: string;
  type: EventType;
  additionalStatus: AdditionalStatus;
  invoiceId: string;
  /** What webhooks were sent; null where retention dropped it. */
  body: Buffer | null;
  createdAt: Date;
}

/**
 * Measured in the database, by size only: rows that do not fit into an answer are not loaded. The first always is.
 */
export const readFeedPage = statement<[storeId: string, after: string, limit: number], FeedEvent>(
  "webhooks.read-feed-page",
  `SELECT feed_seq AS seq, id AS "eventId", type, additional_status AS "additionalStatus",
          invoice_id AS "invoiceId", body, created_at AS "createdAt"
     FROM (SELECT event.*, row_number() OVER by_place AS place,
                  sum(512 + coalesce(octet_length(body), 0)) OVER by_place AS bytes
             FROM (SELECT * FROM invoice_events WHERE store_id = $1 AND feed_seq > $2
                    ORDER BY feed_seq LIMIT $3) AS event
           WINDOW by_place AS (ORDER BY feed_seq)) AS weighed
    WHERE place = 1 OR bytes <= ${PAGE_MAX_BYTES} ORDER BY feed_seq`,
);

export const findUnfed = statement<[storeId: string], unknown>(
  "webhooks.find-unfed",
  `SELECT 1 FROM invoice_events WHERE ${unfed("$1")} LIMIT 1`,
);

/** Under the store's lock. It sees all that was placed before, because it begins after the lock. */
export const placeUnfed = statement<[storeId: string]>(
  "webhooks.place-unfed",
  `WITH unfed AS (
     SELECT id, row_number() OVER (ORDER BY seq, id) AS place
       FROM (SELECT id, seq FROM invoice_events WHERE ${unfed("$1")} ORDER BY seq, id LIMIT ${PLACED_AT_ONCE}) AS oldest
   )
   UPDATE invoice_events AS event
      SET feed_seq = unfed.place + coalesce((SELECT max(feed_seq) FROM invoice_events WHERE store_id = $1), 0)
     FROM unfed WHERE event.id = unfed.id`,
);

export const findPlace = statement<[storeId: string, atLeast: string], unknown>(
  "webhooks.find-place",
  "SELECT 1 FROM invoice_events WHERE store_id = $1 AND feed_seq >= $2 LIMIT 1",
);

/** Returns the numbers of those that have something to read, from 0. */
export const findFeedsWithNews = statement<
  [storeIds: readonly string[], after: readonly string[]],
  { index: number }
>(
  "webhooks.find-feeds-with-news",
  `SELECT number::int - 1 AS index
     FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS waiter (store, after, number)
    WHERE EXISTS (SELECT 1 FROM invoice_events WHERE store_id = store AND feed_seq > after)
       OR EXISTS (SELECT 1 FROM invoice_events WHERE ${unfed("store")})`,
);

/** A delivery that could go now. */
export interface DueDelivery {
  deliveryId: string;
  attempt: number;
  proven: boolean;
}

/**
 * Of each of these webhooks as many of the oldest as its limit leaves room for, without those that wait for an earlier
 * event of their invoice. Those behind them are woken as these end.
 */
const dueOf = (webhooks: string): string =>
  `SELECT due.id AS "deliveryId", due.requested_attempt AS attempt, ${PROVEN} AS proven
     FROM webhooks w
     CROSS JOIN LATERAL (SELECT count(*) AS n FROM webhook_attempts a
                          WHERE a.webhook_id = w.id AND a.state = 'sending') AS flight
     CROSS JOIN LATERAL (SELECT d.id, d.requested_attempt FROM webhook_deliveries d
                          WHERE d.webhook_id = w.id AND d.state = 'pending'
                            AND NOT ${HAS_EARLIER_UNFINISHED_DELIVERY}
                          ORDER BY d.event_seq
                          LIMIT greatest(0, CASE WHEN w.failure_streak >= ${FAILING_STREAK}
                            THEN ${inFlightLimit(FAILING_STREAK)} ELSE ${inFlightLimit(0)} END - flight.n)) AS due
    WHERE ${webhooks}`;

export const findDue = statement<[webhookIds: readonly string[]], DueDelivery>(
  "webhooks.find-due",
  dueOf("w.id = ANY($1)"),
);

/** Younger ones have just been enqueued by their writers. */
const FORGOTTEN_AFTER_SECONDS = 3;

export const findForgotten = statement<[now: Date], DueDelivery>(
  "webhooks.find-forgotten",
  dueOf(`w.id IN (SELECT p.webhook_id FROM webhook_deliveries p WHERE p.state = 'pending'
            AND p.created_at <= $1::timestamptz - ${FORGOTTEN_AFTER_SECONDS} * interval '1 second')`),
);

/** One conditional update, so that of five at once one is taken. */
export const approveAgain = statement<
  [deliveryId: string],
  { attempt: number; webhookId: string; invoiceId: string }
>(
  "webhooks.approve-again",
  `UPDATE webhook_deliveries SET state = 'pending', requested_attempt = requested_attempt + 1
    WHERE id = $1 AND ${IS_OVER} AND ${BODY_IS_KEPT}
   RETURNING requested_attempt AS attempt, webhook_id AS "webhookId", invoice_id AS "invoiceId"`,
);
