import type { EntityManager } from "typeorm";
import { decodeBlock, type DecodedBlock } from "../domain/chain/decode-block";
import { NodeUnavailableError } from "../domain/errors";
import { MalformedChainData } from "../domain/chain/wire-reader";
import { ChainBlock } from "../entities/chain-block";
import type { CommandContext } from "./context";
import { assertLease } from "./lease";
import { recordInTurn } from "./record-in-turn";
import { recordTransactions } from "./record-transactions";
import { resolveAlert } from "./raise-alert";
import { tellChanges } from "./tell-change";
import type { ChainWatch } from "./watch";

/** The block does not follow the last one that was processed: the chain moved, or another process did the work. Walk again. */
export class CursorMovedError extends Error {
  override readonly name = "CursorMovedError";
}

/**
 * No reorganisation undoes this many blocks. What is needed to follow an unconfirmed payment (its bytes, its inputs)
 * is dropped when it is buried so deep.
 */
export const BURIED_DEPTH = 100;

export interface ProcessedBlock {
  block: ChainBlock;
  /** Payments that were seen for the first time. */
  payments: number;
}

/**
 * One block in one transaction: its payments, the conflicts that it settles, and the cursor. So a crash leaves either
 * all of it or none.
 * @throws CursorMovedError, LeaseLostError
 */
export async function processBlock(
  { ctx, lease }: ChainWatch,
  decoded: DecodedBlock,
  height: number,
): Promise<ProcessedBlock> {
  const { hash } = decoded;
  const { recorded, block } = await recordInTurn(lease, () =>
    ctx.db.transaction(async (manager) => {
      await assertLease(manager, lease);
      const last = await readCursor(manager);
      if (last?.hash !== decoded.previousHash || last.height !== height - 1)
        throw new CursorMovedError(`block ${height} does not follow block ${last?.height ?? "none"}`);
      const now = await ctx.now(manager);
      const minedAt = new Date(decoded.timeSeconds * 1_000);
      const found = await recordTransactions(manager, ctx, decoded.txs, {
        where: "block",
        now,
        minedAt,
        height,
        hash,
      });
      await endReorganisationAlerts(manager, ctx, hash);
      const buried = await manager.findOneBy(ChainBlock, { height: height - BURIED_DEPTH });
      if (buried) await bury(manager, buried.hash);
      const row = manager.create(ChainBlock, { height, hash, previousHash: decoded.previousHash });
      await manager.insert(ChainBlock, row);
      await tellChanges(manager, [{ topic: "chain", storeId: null, height: row.height }]);
      return { recorded: found, block: row };
    }),
  );
  await ctx.enqueue(
    "invoices",
    recorded.invoiceIds.map((invoiceId) => ({ invoiceId })),
  );
  return { block, payments: recorded.payments };
}

/** The last block that was processed; null before the first. */
export async function readCursor(manager: EntityManager, { lock = false } = {}): Promise<ChainBlock | null> {
  const [last] = await manager.find(ChainBlock, {
    order: { height: "DESC" },
    take: 1,
    ...(lock ? { lock: { mode: "pessimistic_write" } } : {}),
  });
  return last ?? null;
}

/** @throws NodeUnavailableError when the bytes are not the block that was asked for. */
export function decode(raw: Buffer, hash: string): DecodedBlock {
  try {
    const decoded = decodeBlock(raw);
    if (decoded.hash === hash) return decoded;
  } catch (error) {
    if (!(error instanceof MalformedChainData)) throw error;
  }
  throw new NodeUnavailableError(
    "the node answered with bytes that are not the block asked for",
    "malformed",
  );
}

/** A payment that a reorganisation took out of its block stands in one again. */
async function endReorganisationAlerts(
  manager: EntityManager,
  ctx: CommandContext,
  blockHash: string,
): Promise<void> {
  const back = await manager.query<{ id: string }[]>(
    `SELECT p.id FROM payments p JOIN alerts a ON a.subject = p.id AND a.kind = 'reorganisation' AND a.resolved_at IS NULL
     WHERE p.block_hash = $1`,
    [blockHash],
  );
  for (const { id } of back) await resolveAlert(manager, ctx, "reorganisation", id);
}

/** Drops what is kept of the payments in a block so as to follow them while they may still vanish. */
export async function bury(manager: EntityManager, blockHash: string): Promise<void> {
  await manager.query(
    `DELETE FROM payment_inputs WHERE txid IN (SELECT txid FROM payments WHERE block_hash = $1)`,
    [blockHash],
  );
  await manager.query(`UPDATE payments SET raw_tx = NULL WHERE block_hash = $1`, [blockHash]);
}
