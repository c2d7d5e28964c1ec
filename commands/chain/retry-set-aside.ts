import { DomainError } from "../../domain/errors";
import { SetAside } from "../../entities/set-aside";
import type { CommandContext } from "../context";
import { detectAgain } from "./detect-onchain-payments";
import { LeaseLostError } from "../../database/lease";
import { readCursor } from "./process-block";
import { recordAgain } from "./record-block-again";
import { isItemFailure } from "../../database/item-failure";
import { endSetAside, readRetries, RETRY_AFTER_MS, setAside } from "./set-aside";
import { leaveUndoneBlock } from "./undo-block";
import type { ChainWatch } from "./chain-watch";
import { inTransaction } from "../transaction";

const INTERRUPTED_MS = 60_000;

/**
 * Retries transactions that were set aside. One that fails again stays set aside until the next request or for ten
 * minutes, so that later ones need not wait for it. `onChunk` is called before each, for which a block may be read.
 * @throws LeaseLostError
 */
export async function retrySetAside(watch: ChainWatch, onChunk: () => Promise<void>): Promise<void> {
  const { ctx } = watch;
  for (const { txid, ...item } of await readRetries(ctx)) {
    await onChunk();
    try {
      await retry(watch, { txid, ...item });
    } catch (error) {
      if (error instanceof LeaseLostError) throw error;
      if (isItemFailure(error) || error instanceof DomainError)
        await inTransaction(ctx, (tx) => setAside(tx, { txid }, error));
      else await tryAgainSoon(ctx, txid, error);
    }
  }
}

/** The database or the node was away, which says nothing about the transaction. */
async function tryAgainSoon(ctx: CommandContext, txid: string, err: unknown): Promise<void> {
  ctx.log.warn({ err, txid }, "set-aside: retry interrupted");
  const now = await ctx.now(ctx.db.manager);
  const failedAt = new Date(now.getTime() - RETRY_AFTER_MS + INTERRUPTED_MS);
  await ctx.db.manager.update(SetAside, { txid }, { failedAt, retryAsked: false });
}

async function retry(watch: ChainWatch, item: SetAside): Promise<void> {
  const { txid, height, blockHash: hash } = item;
  if (height !== null && hash !== null) {
    const standing = await watch.chain.blockHash(height);
    if (standing === null || standing === hash) return retryInBlock(watch, txid, { height, hash });
    if (!(await leaveUndoneBlock(watch, txid, { height, hash }))) return;
  }
  await retryUnconfirmed(watch, item);
}

async function retryInBlock(
  { ctx, chain }: ChainWatch,
  txid: string,
  block: { height: number; hash: string },
): Promise<void> {
  const { height, hash } = block;
  const raw = await chain.rawBlock(hash);
  if (raw === null)
    throw new DomainError("unavailable", `The node does not have block ${height}: it was pruned.`);
  await recordAgain(ctx, { ...block, raw, only: new Set([txid]) });
  const last = (await readCursor(ctx.db.manager))?.height ?? height;
  await ctx.enqueue("confirmations", [{ height: last }]);
}

/**
 * The node may only have lost it, so it is given up when a person asks and no block is still to be read, and not by
 * itself.
 */
async function retryUnconfirmed(watch: ChainWatch, { txid, retryAsked }: SetAside): Promise<void> {
  const { ctx, chain } = watch;
  const raw = (await chain.mempoolTransactions([txid])).get(txid);
  if (raw !== undefined) {
    if (await detectAgain(watch, raw)) await end(ctx, txid);
  } else if (!retryAsked) {
    await ctx.db.manager.update(SetAside, { txid }, { failedAt: await ctx.now(ctx.db.manager) });
  } else if ((await readCursor(ctx.db.manager))?.hash === (await chain.info()).bestBlockHash) {
    await end(ctx, txid);
  }
}

function end(ctx: CommandContext, txid: string): Promise<void> {
  return inTransaction(ctx, (tx) => endSetAside(tx, [txid]));
}
