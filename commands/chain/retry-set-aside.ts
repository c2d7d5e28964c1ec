import { DomainError } from "../../domain/errors";
import { ChainBlock } from "../../entities/chain-block";
import { SetAside, type SetAsideKind } from "../../entities/set-aside";
import { confirmInvoices } from "./advance-confirmations";
import { changeInvoices } from "../invoices/change-invoice";
import type { CommandContext } from "../context";
import { detectAgain } from "./detect-onchain-payments";
import { isItemFailure } from "../../database/item-failure";
import { LeaseLostError } from "../server/lease";
import { readCursor } from "./process-block";
import { recordAgain } from "./record-block-again";
import { endSetAside, forgetBlock, noteFailure, readRetries } from "./set-aside";
import { syncLightningInvoices } from "../lightning/sync-lightning-invoices";
import { undoForSetAside } from "./undo-block";
import type { ChainWatch } from "../server/watch";

/** Retries at a time, since a check of the chain waits for them. */
const RETRIES_AT_ONCE = 20;

/**
 * Retries transactions and blocks that were set aside, on request or after an upgrade of the service. One that
 * fails again stays set aside.
 * @throws LeaseLostError
 */
export async function retryChainItems(watch: ChainWatch): Promise<void> {
  await retryEach(watch.ctx, ["transaction", "block"], (item) =>
    item.blockHash === null ? retryUnconfirmed(watch, item) : retryInBlock(watch, item),
  );
}

/** Like `retryChainItems`, for invoices. */
export async function retryInvoices(ctx: CommandContext): Promise<void> {
  await retryEach(ctx, ["invoice"], async ({ subject }) => {
    await undoForSetAside(ctx, subject);
    await confirmInvoices(ctx, [subject]);
    await syncLightningInvoices(ctx, subject);
    await changeInvoices(ctx, [subject]);
    await endSetAside(ctx.db.manager, ctx, "invoice", [subject]);
  });
}

async function retryEach(
  ctx: CommandContext,
  kinds: readonly SetAsideKind[],
  retry: (item: SetAside) => Promise<void>,
): Promise<void> {
  for (const item of await readRetries(ctx, kinds, RETRIES_AT_ONCE)) {
    const { kind, subject } = item;
    try {
      await retry(item);
    } catch (error) {
      if (error instanceof LeaseLostError) throw error;
      if (isItemFailure(error) || error instanceof DomainError)
        await noteFailure(ctx, { kind, subject }, error);
      else await noteTried(ctx, item, error);
    }
  }
}

/** The retry was inconclusive. The item waits for the next request, so that later ones need not wait for it. */
async function noteTried(ctx: CommandContext, { kind, subject }: SetAside, error: unknown): Promise<void> {
  ctx.log.error({ err: error, kind, subject }, "set-aside: retry failed, run again: cli retry set-aside");
  await ctx.db.manager.update(
    SetAside,
    { kind, subject },
    { retryAsked: false, version: ctx.settings.version },
  );
}

/** One that has left the mempool is gone, unless a block has it that is still to be read: that notes it in its row. */
async function retryUnconfirmed(watch: ChainWatch, { subject }: SetAside): Promise<void> {
  const { ctx, chain } = watch;
  const raw = (await chain.mempoolTransactions([subject])).get(subject);
  if (raw !== undefined) await detectAgain(watch, raw);
  else if ((await readCursor(ctx.db.manager))?.hash !== (await chain.info()).bestBlockHash) return;
  await endSetAside(ctx.db.manager, ctx, "transaction", [subject]);
}

async function retryInBlock(
  { ctx, chain }: ChainWatch,
  { kind, subject, height, blockHash }: SetAside,
): Promise<void> {
  if (height === null || blockHash === null) return;
  const standing = await chain.blockHash(height);
  if (standing !== null && standing !== blockHash) return forgetStale(ctx, { height, hash: blockHash });
  const raw = await chain.rawBlock(blockHash);
  if (raw === null)
    throw new DomainError("unavailable", `The node does not have block ${height}: it was pruned.`);
  const only = kind === "transaction" ? { only: new Set([subject]) } : {};
  await recordAgain(ctx, { hash: blockHash, height, raw, ...only });
  const last = (await readCursor(ctx.db.manager))?.height ?? height;
  await ctx.enqueue("confirmations", [{ height: last }]);
}

/** Undoing one of our blocks deletes its item; this does the same for a block that was never ours. */
async function forgetStale(ctx: CommandContext, block: { height: number; hash: string }): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    if (!(await manager.existsBy(ChainBlock, block))) await forgetBlock(manager, ctx, block.hash);
  });
}
