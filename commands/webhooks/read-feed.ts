import { invalidField } from "../../domain/errors";
import { feedPosition } from "../../domain/webhook/feed-position";
import { lockStore } from "../../database/rows";
import type { CommandContext } from "../context";
import { type FeedEvent, findPlace, findUnfed, placeUnfed, readFeedPage } from "./feed-queries";
import { inTransaction } from "../transaction";

export interface FeedRequest {
  /** The position to read after; 0 is the beginning. */
  after: bigint;
  limit: number;
}

/**
 * A store's events, oldest first. An event gets its position after it was committed: from the first reader that
 * finds it without one, under a lock, after all that have one. So for any reader, and however late a transaction
 * commits, nothing appears before what was already read. Positions are plain data: they survive dump and restore,
 * and sequences or transaction ids determine only the order of events that are found together.
 * @throws DomainError `validation-failed` at `/after` for a position that the feed does not have (yet).
 */
export async function readFeed(
  ctx: CommandContext,
  storeId: string,
  { after, limit }: FeedRequest,
): Promise<FeedEvent[]> {
  if (after > 0n) await checkPlace(ctx, storeId, after);
  // First: an event that another reader places between our two reads would be in neither.
  await placeCommitted(ctx, storeId);
  return (await readFeedPage(ctx.db.manager, storeId, after.toString(), limit)).rows;
}

/** The last committed event's; 0 where there is none. */
export async function latestPosition(ctx: CommandContext, storeId: string): Promise<bigint> {
  for (let waiting = true; waiting;) waiting = await placeCommitted(ctx, storeId);
  const {
    rows: [last],
  } = await findPlace(ctx.db.manager, storeId, String(Number.MAX_SAFE_INTEGER));
  return BigInt(last?.seq ?? 0);
}

/** Gives the oldest events without a position theirs. False: all have one. */
async function placeCommitted(ctx: CommandContext, storeId: string): Promise<boolean> {
  const { count: waiting } = await findUnfed(ctx.db.manager, storeId);
  if (waiting === 0) return false;
  await inTransaction(ctx, async (tx) => {
    await lockStore(tx.manager, storeId); // one at a time
    await placeUnfed(tx.manager, storeId);
  });
  return true;
}

/** A reader elsewhere holds the place of another store, or of what a restored backup has lost: it would miss events. */
async function checkPlace(ctx: CommandContext, storeId: string, after: bigint): Promise<void> {
  const {
    rows: [found],
  } = await findPlace(ctx.db.manager, storeId, after.toString());
  const seq = BigInt(found?.seq ?? 0);
  if (seq === after) return;
  throw invalidField(
    "/after",
    `This position is not in the feed of this store. If it was once, the service was restored from an older backup: send ${feedPosition(seq)}, the last position before it that is still there, and handle what you know already as a repetition.`,
  );
}
