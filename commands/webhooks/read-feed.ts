import { invalidField } from "../../domain/errors";
import { lockStore } from "../stores/change-store";
import type { CommandContext } from "../context";
import { type FeedEvent, findFeedsWithNews, findPlace, findUnfed, placeUnfed, readFeedPage } from "./queries";

export interface FeedRequest {
  /** The cursor to read after; 0 is the beginning. */
  after: bigint;
  limit: number;
}

/**
 * A store's events, oldest first. An event gets its place after it was committed: by the first reader that finds it
 * without one, under a lock, behind all that have one. So for any reader, and however late a transaction commits,
 * nothing appears before what was read. The places are plain data: they survive dump and restore, and neither a
 * sequence nor a transaction's number decides anything but the order of those that are found together.
 * @throws DomainError `validation-failed` at `/after` for a place that the feed does not have (yet).
 */
export async function readFeed(
  ctx: CommandContext,
  storeId: string,
  { after, limit }: FeedRequest,
): Promise<FeedEvent[]> {
  // First: an event that another reader places between our two reads would be in neither.
  await placeCommitted(ctx, storeId);
  const { rows: events } = await readFeedPage(ctx.db.manager, storeId, after.toString(), limit);
  if (events.length === 0 && after > 0n) await checkPlace(ctx, storeId, after);
  return events;
}

/** Gives the oldest events without a place theirs. */
async function placeCommitted(ctx: CommandContext, storeId: string): Promise<void> {
  const { count: waiting } = await findUnfed(ctx.db.manager, storeId);
  if (waiting === 0) return;
  await ctx.db.transaction(async (manager) => {
    await lockStore(manager, storeId); // one at a time
    await placeUnfed(manager, storeId);
  });
}

/** A reader that is further than the feed holds the place of another store, or of what a restored backup has lost. */
async function checkPlace(ctx: CommandContext, storeId: string, after: bigint): Promise<void> {
  const { count: known } = await findPlace(ctx.db.manager, storeId, after.toString());
  if (known === 0)
    throw invalidField(
      "/after",
      "Must be a `seq` of this store's feed. Leave it out to start from the beginning.",
    );
}

/** A reader that waits for what comes after a place. */
export interface FeedWaiter {
  storeId: string;
  after: bigint;
}

/** Which of many have something to read, by their number in the list. One question, however many they are. */
export async function feedsWithNews(ctx: CommandContext, waiters: readonly FeedWaiter[]): Promise<number[]> {
  const { rows } = await findFeedsWithNews(
    ctx.db.manager,
    waiters.map(({ storeId }) => storeId),
    waiters.map(({ after }) => after.toString()),
  );
  return rows.map(({ index }) => index);
}
