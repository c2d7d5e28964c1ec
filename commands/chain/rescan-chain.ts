import { setTimeout as sleep } from "node:timers/promises";
import { DomainError, invalidField, NodeUnavailableError } from "../../domain/errors";
import { ChainBlock } from "../../entities/chain-block";
import { closeHoles, holeSubject, type BlockRange } from "./chain-gaps";
import { whyNotUsable } from "./node-connectivity";
import type { CommandContext } from "../context";
import type { ChainPort, NodeInfo } from "../ports";
import { readCursor } from "./process-block";
import { resolveAlerts } from "../server/raise-alert";
import { recordAgain } from "./record-block-again";
import { inTransaction } from "../transaction";

export interface RescanResult {
  fromHeight: number;
  /** The last block that chain-watch had processed; it records later ones itself. */
  toHeight: number;
  /** That count, and were not known before. */
  payments: number;
}

const PROGRESS_BLOCKS = 100;
const REORGANISED_RETRY_MS = 1_000;
const REORGANISED_RETRIES = 60;

/**
 * Reads blocks again that were processed or skipped before, one transaction for each. Idempotent: safe at any time,
 * and beside a running chain-watch.
 * @throws DomainError `validation-failed`; `unavailable` without a node, or when it has pruned a block.
 * @throws NodeUnavailableError
 */
export async function rescanChain(ctx: CommandContext, fromHeight: number): Promise<RescanResult> {
  const { chain, info } = await usableNode(ctx);
  const toHeight = await lastProcessed(ctx, fromHeight, info.blocks);
  if (!Number.isInteger(fromHeight) || fromHeight < 0 || fromHeight > toHeight)
    throw invalidField(
      "/fromHeight",
      `Must be a height from 0 to ${toHeight}, the last block that was processed.`,
    );
  let payments = 0;
  for (let height = fromHeight; height <= toHeight; height += 1) {
    payments += await rescanBlock(ctx, chain, { height });
    if ((height - fromHeight + 1) % PROGRESS_BLOCKS === 0)
      ctx.log.info({ height, toHeight, payments }, "rescan: progress");
  }
  await endHoles(ctx, { fromHeight, toHeight });
  await ctx.enqueue("confirmations", [{ height: toHeight }]);
  return { fromHeight, toHeight, payments };
}

/** Read an hour later; more than are mined between two times. */
const COMPARED = 24;

/**
 * Reads the latest blocks again, with an alert where they and the payments' rows differ. Returns how many payments were
 * missed. While the node or chain-watch is away they are left to the next time.
 */
export async function compareLatest(ctx: CommandContext): Promise<number> {
  const first = await ctx.db.manager.minimum(ChainBlock, "height"); // not processed: watching began at it
  const last = await readCursor(ctx.db.manager);
  if (ctx.chain === null || first === null || last === null) return 0;
  let payments = 0;
  try {
    const { chain } = await usableNode(ctx);
    for (let height = Math.max(first, last.height - COMPARED) + 1; height <= last.height; height += 1)
      payments += await rescanBlock(ctx, chain, { height, compare: true });
  } catch (error) {
    if (!(error instanceof NodeUnavailableError || error instanceof DomainError)) throw error;
    ctx.log.warn({ reason: error.message }, "reconciliation: interrupted");
  }
  return payments;
}

/** @throws DomainError `unavailable`; NodeUnavailableError */
async function usableNode(ctx: CommandContext): Promise<{ chain: ChainPort; info: NodeInfo }> {
  const { chain } = ctx;
  if (chain === null) throw new DomainError("unavailable", "BITCOIND_RPC_URL is not set.");
  const info = await chain.info();
  const problem = await whyNotUsable(ctx, chain, info);
  if (problem !== null) throw new DomainError("unavailable", problem);
  return { chain, info };
}

/** Null where the node has no block of this height. @throws DomainError `unavailable` if it has pruned it. */
async function readBlock(chain: ChainPort, height: number): Promise<{ hash: string; raw: Buffer } | null> {
  const hash = await chain.blockHash(height);
  if (hash === null) return null;
  const raw = await chain.rawBlock(hash);
  if (raw === null)
    throw new DomainError("unavailable", `The node does not have block ${height}: it was pruned.`);
  return { hash, raw };
}

/**
 * Even at a height that the node has, chain-watch may be behind for a moment, while it walks back and forth over a
 * reorganisation.
 */
async function lastProcessed(ctx: CommandContext, fromHeight: number, tip: number): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    const last = (await readCursor(ctx.db.manager))?.height ?? tip;
    const comes = fromHeight > last && fromHeight <= tip;
    if (!comes || tries === REORGANISED_RETRIES) return last;
    await sleep(REORGANISED_RETRY_MS);
  }
}

async function rescanBlock(
  ctx: CommandContext,
  chain: ChainPort,
  asked: { height: number; compare?: boolean },
): Promise<number> {
  const { height } = asked;
  for (let tries = 0; tries < REORGANISED_RETRIES; tries += 1) {
    const block = await readBlock(chain, height);
    const payments = block === null ? null : await recordAgain(ctx, { ...block, ...asked });
    if (payments !== null) return payments;
    // A reorganisation that chain-watch has not followed yet.
    await sleep(REORGANISED_RETRY_MS);
  }
  throw new DomainError(
    "unavailable",
    `The node and chain-watch have different blocks at height ${height}. Try again when chain-watch has caught up.`,
  );
}

/** Closes holes whose blocks have been read now. */
async function endHoles(ctx: CommandContext, blocks: BlockRange): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const closed = await closeHoles(tx, blocks);
    const subjects = closed.map(holeSubject);
    await resolveAlerts(tx, "node-behind", subjects);
  });
}
