import { PAGE_MAX_BYTES } from "../../database/pagination";
import { statement } from "../../database/statement";
import type { AdditionalStatus, EventType } from "../../domain/invoice/status";

// The event feed: each store's events in the order of their positions.

/** SQL: the event has no position in this store's feed yet. */
const UNFED = "store_id = $1 AND feed_seq IS NULL AND NOT test";
/** More than one answer contains, and few enough to be written quickly. */
const PLACED_AT_ONCE = 1_000;

/** An event of a store's feed. */
export interface FeedEvent {
  /** Its position: a number without gaps, but for those that a restore has lost. */
  seq: string;
  eventId: string;
  type: EventType;
  additionalStatus: AdditionalStatus;
  invoiceId: string;
  /** The body of its webhooks; null if retention has deleted it. As text, which is sent by half as many bytes. */
  body: string | null;
  createdAt: Date;
}

/**
 * Limited by size, measured in the database: rows that do not fit into an answer are not loaded, except the first,
 * which always is.
 */
export const readFeedPage = statement<[storeId: string, after: string, limit: number], FeedEvent>(
  "webhooks.read-feed-page",
  `SELECT feed_seq AS seq, id AS "eventId", type, additional_status AS "additionalStatus",
          invoice_id AS "invoiceId", convert_from(body, 'UTF8') AS body, created_at AS "createdAt"
     FROM (SELECT event.*, row_number() OVER by_place AS place,
                  sum(512 + coalesce(octet_length(body), 0)) OVER by_place AS bytes
             FROM (SELECT * FROM invoice_events WHERE store_id = $1 AND feed_seq > $2
                    ORDER BY feed_seq LIMIT $3) AS event
           WINDOW by_place AS (ORDER BY feed_seq)) AS weighed
    WHERE place = 1 OR bytes <= ${PAGE_MAX_BYTES} ORDER BY feed_seq`,
);

export const findUnfed = statement<[storeId: string], unknown>(
  "webhooks.find-unfed",
  `SELECT 1 FROM invoice_events WHERE ${UNFED} LIMIT 1`,
);

/** Runs under the store's lock. It sees all positions given before, because it begins after the lock. */
export const placeUnfed = statement<[storeId: string]>(
  "webhooks.place-unfed",
  `WITH unfed AS (
     SELECT id, row_number() OVER (ORDER BY seq, id) AS place
       FROM (SELECT id, seq FROM invoice_events WHERE ${UNFED} ORDER BY seq, id LIMIT ${PLACED_AT_ONCE}) AS oldest
   )
   UPDATE invoice_events AS event
      SET feed_seq = unfed.place + greatest((SELECT max(feed_seq) FROM invoice_events WHERE store_id = $1),
                                            (SELECT max(feed_after) FROM restores), 0)
     FROM unfed WHERE event.id = unfed.id`,
);

/** The last position that is not behind the given one; null before the first. */
export const findPlace = statement<[storeId: string, atMost: string], { seq: string | null }>(
  "webhooks.find-place",
  "SELECT max(feed_seq) AS seq FROM invoice_events WHERE store_id = $1 AND feed_seq <= $2",
);
