import type { EntityManager } from "typeorm";
import type { Sighting } from "../../domain/chain/onchain-payment";
import { decodeBlock, type DecodedBlock } from "../../domain/chain/decode-block";
import type { DecodedTx } from "../../domain/chain/decode-tx";
import { NodeUnavailableError } from "../../domain/errors";
import { MalformedChainData } from "../../domain/chain/wire-reader";
import { ChainBlock } from "../../entities/chain-block";
import { openHole } from "./chain-gaps";
import type { CommandContext } from "../context";
import { decideHere, decideSoon, followDecidedHere, type TouchedInvoices } from "../invoices/decide-here";
import { isItemFailure, ItemFailure } from "../../database/item-failure";
import { assertLease } from "../server/lease";
import { type ChainTip, insertBlock, readTip } from "./queries";
import { serializeChainWrites } from "./serialize-chain-writes";
import {
  findMatches,
  type ScriptMatches,
  matchesOf,
  invoicesPaidIn,
  type RecordResult,
  recordTransactions,
} from "./record-transactions";
import { type FailedItem, noteFailure, placeSetAside, readSetAside } from "./set-aside";
import { notifyChanges } from "../server/notify-changes";
import type { ChainWatch } from "../server/watch";

/** The block does not follow the last processed one: the chain moved, or another process did the work. Walk again. */
export class CursorMovedError extends Error {
  override readonly name = "CursorMovedError";
}

export interface ProcessedBlock {
  block: ChainBlock;
  /** Payments that were seen for the first time. */
  payments: number;
}

/** The block cannot be processed for now: it is retried, and finally set aside. */
export class BlockFailedError extends Error {
  override readonly name = "BlockFailedError";
}

/** Transactions of a block that cannot be recorded, each with the invoices that it pays. */
class TransactionsFailedError extends ItemFailure {
  constructor(readonly failed: { txid: string; invoiceIds: string[]; error: unknown }[]) {
    super(`${failed.length} transactions of the block cannot be recorded`);
  }
}

/** Records what a block's transactions mean, in the block's transaction. Null if they do not concern us. */
type RecordBlock = (
  manager: EntityManager,
  ctx: CommandContext,
  hits: ScriptMatches,
  sighting: Sighting,
  known: ChainWatch["known"],
) => Promise<(TouchedInvoices & Pick<RecordResult, "payments">) | null>;

/**
 * Processes one block in one transaction: its payments, the conflicts that it settles, the decisions about their
 * invoices, and the cursor. So a crash leaves either all of it or none. Parts of it that fail for good are set
 * aside, transactions before their block.
 * @throws BlockFailedError, CursorMovedError, LeaseLostError
 */
export async function processBlock(
  watch: ChainWatch,
  decoded: DecodedBlock,
  height: number,
): Promise<ProcessedBlock> {
  for (;;) {
    try {
      return await processAll(watch, decoded, height, recordTransactions);
    } catch (error) {
      if (!isItemFailure(error)) throw error;
    }
    const processed = await processEach(watch, decoded, height);
    if (processed !== null) return processed;
  }
}

/**
 * Records one transaction at a time, to find those that fail. Null when all of those were set aside now: process
 * the block again without them.
 */
async function processEach(
  watch: ChainWatch,
  decoded: DecodedBlock,
  height: number,
): Promise<ProcessedBlock | null> {
  const { ctx } = watch;
  const block = { height, hash: decoded.hash };
  try {
    return await processAll(watch, decoded, height, recordEach);
  } catch (error) {
    if (!isItemFailure(error)) throw error;
    const items: [FailedItem, unknown][] =
      error instanceof TransactionsFailedError
        ? error.failed.map((one) => [
            { kind: "transaction", subject: one.txid, block, invoiceIds: one.invoiceIds },
            one.error,
          ])
        : [[{ kind: "block", subject: block.hash, block }, error]];
    let setAside = true;
    for (const [item, reason] of items) setAside = (await noteFailure(ctx, item, reason)) && setAside;
    if (!setAside)
      throw new BlockFailedError(
        `Block ${height} cannot be processed. It is retried, and set aside if it keeps failing.`,
      );
    if (error instanceof TransactionsFailedError) return null;
    return passOver(watch, decoded, height);
  }
}

/** For a block that was set aside: only the cursor is written. */
async function passOver(
  { ctx, lease }: ChainWatch,
  { hash, previousHash }: DecodedBlock,
  height: number,
): Promise<ProcessedBlock> {
  const block = await serializeChainWrites(lease, () =>
    ctx.db.transaction(async (manager) => {
      await assertLease(manager, lease);
      assertNext((await readTip(manager)).rows[0], { height, previousHash });
      await openHole(manager, ctx, { kind: "set-aside", fromHeight: height, toHeight: height });
      return moveCursor(manager, { height, hash, previousHash }, false);
    }),
  );
  return { block, payments: 0 };
}

const recordEach: RecordBlock = async (manager, ctx, hits, ...where) => {
  const failed: TransactionsFailedError["failed"] = [];
  const invoiceIds = new Set<string>();
  let payments = 0;
  const txs = new Set([...hits.paid, ...hits.spent].map((hit) => hit.tx));
  for (const tx of txs)
    try {
      // Nested: a savepoint.
      const one = await manager.transaction(async (within) => {
        const recorded = await recordTransactions(within, ctx, matchesOf(hits, tx), ...where);
        // An invoice whose row cannot be written fails here, with its transaction, and not later with the
        // whole block.
        if (recorded !== null) await decideSoon(within, recorded);
        return recorded;
      });
      for (const invoiceId of one?.invoiceIds ?? []) invoiceIds.add(invoiceId);
      payments += one?.payments ?? 0;
    } catch (error) {
      if (!isItemFailure(error)) throw error;
      failed.push({ txid: tx.txid, invoiceIds: invoicesPaidIn(hits, tx), error });
    }
  if (failed.length > 0) throw new TransactionsFailedError(failed);
  if (txs.size === 0) return null;
  return { invoiceIds: [...invoiceIds], payments, now: await ctx.now(manager) };
};

async function processAll(
  { ctx, lease, known }: ChainWatch,
  decoded: DecodedBlock,
  height: number,
  record: RecordBlock,
): Promise<ProcessedBlock> {
  const { hash } = decoded;
  const { found, decided, block } = await serializeChainWrites(lease, () =>
    ctx.db.transaction(async (manager) => {
      await assertLease(manager, lease);
      const [tip] = (await readTip(manager)).rows;
      const last = assertNext(tip, { height, previousHash: decoded.previousHash });
      const minedAt = new Date(decoded.timeSeconds * 1_000);
      const sighting = { where: "block", minedAt, height, hash } as const;
      const txs = await withoutSetAside(manager, decoded, last, { height, hash });
      const hits = await findMatches(manager, txs);
      const touched = await record(manager, ctx, hits, sighting, known);
      const next = { height, hash, previousHash: decoded.previousHash };
      const row = await moveCursor(manager, next, touched === null);
      await notifyChanges(manager, [{ topic: "chain", storeId: null, height }]);
      return { found: touched, decided: await decideHere(manager, ctx, touched), block: row };
    }),
  );
  await followDecidedHere(ctx, decided);
  return { block, payments: found?.payments ?? 0 };
}

/** Leaves out transactions that were set aside; a retry of them finds them in this block. */
async function withoutSetAside(
  manager: EntityManager,
  { txs }: DecodedBlock,
  { somethingSetAside }: ChainTip,
  block: { height: number; hash: string },
): Promise<readonly DecodedTx[]> {
  if (!somethingSetAside) return txs;
  const setAside = await readSetAside(
    manager,
    "transaction",
    txs.map(({ txid }) => txid),
  );
  await placeSetAside(manager, [...setAside], block);
  return txs.filter(({ txid }) => !setAside.has(txid));
}

/** @throws CursorMovedError */
function assertNext(
  last: ChainTip | undefined,
  { height, previousHash }: { height: number; previousHash: string },
): ChainTip {
  if (last?.hash !== previousHash || last.height !== height - 1)
    throw new CursorMovedError(`block ${height} does not follow block ${last?.height ?? "none"}`);
  return last;
}

type NewBlock = Pick<ChainBlock, "height" | "hash" | "previousHash">;

/**
 * The commit of a block without payments of ours does not wait for the disk (docs/adr/0039): a crash of Postgres
 * may lose it, and it is processed again.
 */
async function moveCursor(
  manager: EntityManager,
  { height, hash, previousHash }: NewBlock,
  mayBeLost: boolean,
): Promise<ChainBlock> {
  const [written] = (await insertBlock(manager, height, hash, previousHash, mayBeLost)).rows;
  if (written === undefined) throw new Error(`block ${height} was not written`);
  const { processedAt } = written;
  return manager.create(ChainBlock, { height, hash, previousHash, processedAt });
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

/** @throws NodeUnavailableError when the bytes are not the requested block. */
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
