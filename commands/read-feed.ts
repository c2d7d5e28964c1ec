import { invalidField } from "../domain/errors";
import type { AdditionalStatus, EventType } from "../domain/invoice/status";
import type { CommandContext } from "./context";

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

export interface FeedRequest {
  /** What comes behind this place; 0 is the beginning. */
  after: bigint;
  limit: number;
}

/** More than a page has, and few enough to be written in no time. */
const BATCH = 1_000;

const UNFED = "store_id = $1 AND feed_seq IS NULL AND NOT test";

/**
 * A store's events, oldest first. An event gets its place after it was committed: by the first reader that finds it
 * without one, under a lock, behind all that have one. So whatever reader, and however late a transaction commits,
 * nothing ever appears in front of what was read. The places are plain data: they survive dump and restore, and
 * neither a sequence nor a transaction's number decides anything but the order of those that are found together.
 * @throws DomainError `validation-failed` at `/after` for a place that the feed does not have (yet).
 */
export async function readFeed(
  ctx: CommandContext,
  storeId: string,
  request: FeedRequest,
): Promise<FeedEvent[]> {
  // First: what another reader places between our two looks would be seen by neither.
  await placeCommitted(ctx, storeId);
  const events = await readPlaced(ctx, storeId, request);
  if (events.length === 0 && request.after > 0n) await checkPlace(ctx, storeId, request.after);
  return events;
}

async function readPlaced(
  ctx: CommandContext,
  storeId: string,
  { after, limit }: FeedRequest,
): Promise<FeedEvent[]> {
  return ctx.db.query<FeedEvent[]>(
    `SELECT feed_seq AS seq, id AS "eventId", type, additional_status AS "additionalStatus",
            invoice_id AS "invoiceId", body, created_at AS "createdAt"
       FROM invoice_events WHERE store_id = $1 AND feed_seq > $2 ORDER BY feed_seq LIMIT $3`,
    [storeId, after.toString(), limit],
  );
}

/** Gives the oldest events without a place theirs. */
async function placeCommitted(ctx: CommandContext, storeId: string): Promise<void> {
  const waiting = await ctx.db.query<unknown[]>(`SELECT 1 FROM invoice_events WHERE ${UNFED} LIMIT 1`, [
    storeId,
  ]);
  if (waiting.length === 0) return;
  await ctx.db.transaction(async (manager) => {
    // One at a time. The next statement sees all that was placed before, because it begins after the lock.
    await manager.query("SELECT 1 FROM stores WHERE id = $1 FOR NO KEY UPDATE", [storeId]);
    await manager.query(
      `WITH unfed AS (
         SELECT id, row_number() OVER (ORDER BY seq, id) AS place
           FROM (SELECT id, seq FROM invoice_events WHERE ${UNFED} ORDER BY seq, id LIMIT ${BATCH}) AS oldest
       )
       UPDATE invoice_events AS event
          SET feed_seq = unfed.place + coalesce((SELECT max(feed_seq) FROM invoice_events WHERE store_id = $1), 0)
         FROM unfed WHERE event.id = unfed.id`,
      [storeId],
    );
  });
}

/** A reader that is further than the feed holds the place of another store, or of what a restored backup has lost. */
async function checkPlace(ctx: CommandContext, storeId: string, after: bigint): Promise<void> {
  const known = await ctx.db.query<unknown[]>(
    "SELECT 1 FROM invoice_events WHERE store_id = $1 AND feed_seq >= $2 LIMIT 1",
    [storeId, after.toString()],
  );
  if (known.length === 0)
    throw invalidField("/after", "Must be a seq of this store's feed. Leave it out to begin anew.");
}

/** Somebody who waits for what comes behind a place. */
export interface FeedWaiter {
  storeId: string;
  after: bigint;
}

/** Which of many have something to read, by their number in the list. One question, however many they are. */
export async function feedsWithNews(ctx: CommandContext, waiters: readonly FeedWaiter[]): Promise<number[]> {
  const rows = await ctx.db.query<{ index: number }[]>(
    `SELECT number::int - 1 AS index
       FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS waiter (store, after, number)
      WHERE EXISTS (SELECT 1 FROM invoice_events WHERE store_id = store AND feed_seq > after)
         OR EXISTS (SELECT 1 FROM invoice_events WHERE store_id = store AND feed_seq IS NULL AND NOT test)`,
    [waiters.map(({ storeId }) => storeId), waiters.map(({ after }) => after.toString())],
  );
  return rows.map(({ index }) => index);
}
