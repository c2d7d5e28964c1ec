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
      const last = await readStanding(manager, height);
      if (last?.hash !== decoded.previousHash || last.height !== height - 1)
        throw new CursorMovedError(`block ${height} does not follow block ${last?.height ?? "none"}`);
      const { buried } = last;
      const now = await ctx.now(manager);
      const minedAt = new Date(decoded.timeSeconds * 1_000);
      const evidence = { where: "block", now, minedAt, height, hash } as const;
      const found = await recordTransactions(manager, ctx, decoded.txs, evidence, decoded.scripts);
      if (found.concerned) await endReorganisationAlerts(manager, ctx, hash);
      if (buried !== null) await bury(manager, buried);
      const mayBeLost = !found.concerned && buried === null;
      const row = await moveCursor(manager, { height, hash, previousHash: decoded.previousHash }, mayBeLost);
      await tellChanges(manager, [{ topic: "chain", storeId: null, height }]);
      return { recorded: found, block: row };
    }),
  );
  await ctx.enqueue(
    "invoices",
    recorded.invoiceIds.map((invoiceId) => ({ invoiceId })),
  );
  return { block, payments: recorded.payments };
}

/** The last block that was processed. */
interface Standing {
  height: number;
  hash: string;
  /** The hash of the block that the next one buries, where it has payments of ours. */
  buried: string | null;
}

async function readStanding(manager: EntityManager, nextHeight: number): Promise<Standing | undefined> {
  const [row] = await manager.query<Standing[]>(
    `SELECT last.height, last.hash, (SELECT old.hash FROM chain_blocks old
              WHERE old.height = $1 AND EXISTS (SELECT FROM payments WHERE block_hash = old.hash)) AS buried
       FROM chain_blocks last ORDER BY last.height DESC LIMIT 1`,
    [nextHeight - BURIED_DEPTH],
  );
  return row;
}

type NewBlock = Pick<ChainBlock, "height" | "hash" | "previousHash">;

/**
 * A block that brought us nothing does not wait for the disk (docs/adr/0039): a crash of Postgres may forget it, and it is processed again.
 */
async function moveCursor(
  manager: EntityManager,
  { height, hash, previousHash }: NewBlock,
  mayBeLost: boolean,
): Promise<ChainBlock> {
  const [written] = await manager.query<{ processedAt: Date }[]>(
    `INSERT INTO chain_blocks (height, hash, previous_hash) VALUES ($1, $2, $3)
     RETURNING processed_at AS "processedAt", CASE WHEN $4 THEN set_config('synchronous_commit', 'off', true) END`,
    [height, hash, previousHash, mayBeLost],
  );
  if (written === undefined) throw new Error(`block ${height} was not written`);
  return manager.create(ChainBlock, { height, hash, previousHash, ...written });
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
