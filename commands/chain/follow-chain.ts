import { Invoice } from "../../entities/invoice";
import { ChainBlock } from "../../entities/chain-block";
import { BLOCK_TIME_MARGIN_MS } from "../../domain/chain/onchain-payment";
import { NodeUnavailableError } from "../../domain/errors";
import { holeProblem, holeSubject, openHole } from "./chain-gaps";
import { CursorMovedError, decode, processBlock, readCursor } from "./process-block";
import { refuseOtherChain } from "./other-chain";
import { raiseAlert } from "../server/raise-alert";
import { undoBlock } from "./undo-block";
import type { BlockHeader, NodeInfo } from "../ports";
import type { ChainWatch } from "./chain-watch";
import { inTransaction, type Tx } from "../transaction";

/** Blocks between two log lines about a long catch-up. */
const PROGRESS_BLOCKS = 100;
/**
 * Follows the chain from the last processed block to the node's tip, first backwards after a reorganisation.
 * Returns the block reached. `onBlock` is called with each block, after its transaction.
 * @throws NodeUnavailableError, OtherChainError, LeaseLostError
 */
export async function followChain(
  watch: ChainWatch,
  signal: AbortSignal,
  onBlock: (block: ChainBlock) => Promise<void> = () => Promise.resolve(),
): Promise<ChainBlock> {
  let known: ChainBlock | null = null;
  for (let count = 1; ; count += 1) {
    signal.throwIfAborted();
    const cursor: ChainBlock =
      known ?? (await readCursor(watch.ctx.db.manager)) ?? (await firstCursor(watch));
    known = null;
    try {
      const block = await step(watch, cursor);
      if (block === null) return cursor;
      if (block !== "undone") {
        await onBlock(block);
        known = block;
      }
    } catch (error) {
      // The chain changed meanwhile: start again from the present position.
      if (!(error instanceof CursorMovedError)) throw error;
    }
    if (count % PROGRESS_BLOCKS === 0)
      watch.ctx.log.info({ height: cursor.height, blocks: count }, "chain: catching up");
  }
}

/** Moves one block forward or back; null at the tip. */
async function step(watch: ChainWatch, cursor: ChainBlock): Promise<ChainBlock | "undone" | null> {
  const { chain } = watch;
  const height = cursor.height + 1;
  const header = await chain.blockHeader(cursor.hash);
  if (header === null) await refuseNodeBehind(watch, cursor);
  if (!header?.inActiveChain) {
    await refuseOtherChain(watch, cursor);
    await undoBlock(watch, cursor);
    return "undone";
  }
  const hash = await chain.blockHash(height);
  if (hash === null) return null;
  const raw = await chain.rawBlock(hash);
  if (raw !== null) return processBlock(watch, decode(raw, hash), height);
  const info = await chain.info();
  if (height < info.pruneHeight) return skipPruned(watch, cursor, info);
  // It was reorganised away in between, or the node has only its header yet.
  if ((await chain.blockHash(height)) !== hash) throw new CursorMovedError(`block ${height} changed`);
  throw new NodeUnavailableError(`the node does not have block ${height}`);
}

/** A node that does not know our block and is below its height (restored, or syncing anew) says nothing about it. */
async function refuseNodeBehind({ chain }: ChainWatch, cursor: ChainBlock): Promise<void> {
  const { blocks } = await chain.info();
  if (blocks < cursor.height)
    throw new NodeUnavailableError(
      `the node is at block ${blocks}, below block ${cursor.height}, which was processed before`,
    );
}

/**
 * Where a new installation begins: at the tip, or, if it already has invoices, at the last block that is older than
 * all of them.
 */
async function firstCursor(watch: ChainWatch): Promise<ChainBlock> {
  const { ctx, chain } = watch;
  // The tip is read before the invoices: an invoice that is created later can only be paid above it.
  const info = await chain.info();
  const [oldest] = await ctx.db.manager.find(Invoice, {
    select: { id: true, createdAt: true },
    order: { createdAt: "ASC" },
    take: 1,
  });
  const height = oldest
    ? await lastHeightBefore(watch, new Date(oldest.createdAt.getTime() - BLOCK_TIME_MARGIN_MS), info)
    : info.blocks;
  const header = await headerAt(watch, height);
  ctx.log.info({ height }, "chain: watching from this block on");
  return writeCursor(watch, header);
}

/** By bisection: block times rise, apart from the margin. */
async function lastHeightBefore(watch: ChainWatch, instant: Date, info: NodeInfo): Promise<number> {
  let low = 0;
  let high = info.blocks;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const { timeSeconds } = await headerAt(watch, middle);
    if (timeSeconds * 1_000 < instant.getTime()) low = middle;
    else high = middle - 1;
  }
  return low;
}

async function headerAt({ chain }: ChainWatch, height: number): Promise<BlockHeader> {
  const hash = await chain.blockHash(height);
  const header = hash === null ? null : await chain.blockHeader(hash);
  if (header === null) throw new CursorMovedError(`block ${height} is gone`);
  return header;
}

async function writeCursor(
  { ctx }: ChainWatch,
  header: BlockHeader,
  alongside: (tx: Tx) => Promise<void> = () => Promise.resolve(),
): Promise<ChainBlock> {
  return inTransaction(ctx, async (tx) => {
    await alongside(tx);
    const block = tx.manager.create(ChainBlock, {
      height: header.height,
      hash: header.hash,
      previousHash: header.previousHash ?? "",
    });
    await tx.manager.insert(ChainBlock, block);
    return block;
  });
}

/**
 * The node has pruned unread blocks. Waiting would lose every later payment too, so processing continues above the
 * gap, which is reported until a rescan has filled it.
 */
async function skipPruned(watch: ChainWatch, cursor: ChainBlock, info: NodeInfo): Promise<ChainBlock> {
  const { ctx } = watch;
  const from = cursor.height + 1;
  const to = info.pruneHeight - 1;
  const hole = { fromHeight: from, toHeight: to };
  const header = await headerAt(watch, to);
  ctx.log.error({ from, to }, "chain: blocks pruned by the node before they were read");
  return writeCursor(watch, header, async (tx) => {
    await openHole(tx, hole);
    await raiseAlert(tx, {
      kind: "node-behind",
      severity: "critical",
      subject: holeSubject(hole),
      message: holeProblem(hole),
      details: { hole },
    });
  });
}
