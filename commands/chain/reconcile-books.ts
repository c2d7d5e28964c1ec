import { Any, In, IsNull } from "typeorm";
import { compareBlock, missingInMempool, sameDifference } from "../../domain/chain/compare-books";
import type { BookDifference, BookedPayment } from "../../domain/chain/compare-books";
import { NodeUnavailableError } from "../../domain/errors";
import { ChainBlock } from "../../entities/chain-block";
import { Invoice } from "../../entities/invoice";
import { Payment } from "../../entities/payment";
import { ReconciliationReport } from "../../entities/reconciliation-report";
import { whyNotUsable } from "./node-connectivity";
import { checkDestinations } from "../wallets/check-destinations";
import { awaitChainCheck } from "../server/await-chain-check";
import type { CommandContext } from "../context";
import type { ChainPort } from "../ports";
import { decode, readCursor } from "./process-block";
import { raiseAlert, resolveAlertsExcept } from "../server/raise-alert";
import { findMatches } from "./record-transactions";

const HOUR_MS = 3_600_000;
/** While there is a difference it runs more often, so that the alert ends soon after the fix. */
const EVERY_MS = { clean: 24 * HOUR_MS, differing: HOUR_MS };
/** Blocks of the first report: somewhat more than a day. */
const FIRST_BLOCKS = 180;
/** Blocks of one report; the next one, an hour later, reads the rest. */
const BLOCKS_MAX = 288;
/** Blocks that the next report reads again, since the tip may have been reorganised. */
const OVERLAP = 6;
/** Differences named in one report; a database that lost more does not need a list. */
const DIFFERENCES_MAX = 1_000;
const NAMED_IN_ALERT = 10;

/** The present state allows no conclusion. The next call tries again. */
class PostponedError extends Error {
  override readonly name = "PostponedError";
}

interface Scope {
  fromHeight: number;
  toHeight: number;
}

interface Comparison {
  differences: BookDifference[];
  checkedPayments: number;
  /** Lower than requested if there were too many differences to name. */
  toHeight: number;
}

/**
 * Compares, once a day, what the node's blocks paid to our scripts with the rows of payments, and the unconfirmed
 * rows with the node's mempool; writes a report and an alert that names the differences. It reads the blocks
 * themselves, because a node without an index has no other way, and writes no payment. A difference is checked
 * twice, with a complete check by chain-watch in between, so that work in progress is not reported. A payment in
 * the mempool only is not missing: its block will record it. The addresses of open invoices are derived again as
 * well. Harmless to run twice or late. Returns the number of differences; 0 if the node or chain-watch is away or
 * behind, and then the next call tries again.
 */
export async function reconcileBooks(ctx: CommandContext): Promise<number> {
  const { chain } = ctx;
  if (chain === null) return 0;
  try {
    return await reconcile(ctx, chain);
  } catch (error) {
    if (!(error instanceof PostponedError || error instanceof NodeUnavailableError)) throw error;
    ctx.log.warn({ reason: error.message }, "reconciliation: postponed");
    return 0;
  }
}

async function reconcile(ctx: CommandContext, chain: ChainPort): Promise<number> {
  const { manager } = ctx.db;
  const [last] = await manager.find(ReconciliationReport, { order: { at: "DESC", id: "DESC" }, take: 1 });
  const cursor = await readCursor(manager);
  if (cursor === null || !(await isDue(ctx, last, cursor))) return 0;
  await checkDestinations(ctx);
  const info = await chain.info();
  const problem = await whyNotUsable(ctx, chain, info);
  if (problem !== null) throw new PostponedError(problem);
  await assertSameChain(chain, cursor);
  const { fromHeight, toHeight } = await scopeOf(ctx, last, cursor, info.pruneHeight);

  // Differences found before may be in blocks below these; they are checked until they are fixed.
  const before = last?.differences ?? [];
  const again = heightsOf(before).filter((height) => height < fromHeight);
  const pruned = before.filter(({ height }) => height !== null && height < info.pruneHeight);
  const heights = [...again.filter((height) => height >= info.pruneHeight), ...range(fromHeight, toHeight)];
  const first = await compare(ctx, chain, heights);
  const differences = [...pruned, ...(await confirmed(ctx, chain, first))];
  await assertSameChain(chain, cursor);
  const report = { ...first, fromHeight, toHeight: Math.max(first.toHeight, fromHeight - 1), differences };
  await write(ctx, report, before);
  return differences.length;
}

/** Then all blocks below it are those that chain-watch has processed, too. */
async function assertSameChain(chain: ChainPort, cursor: ChainBlock): Promise<void> {
  if (!(await chain.blockHeader(cursor.hash))?.inActiveChain)
    throw new PostponedError("chain-watch has not yet followed a reorganisation.");
}

/** A day after the last report, or sooner if that could not read everything. */
async function isDue(
  ctx: CommandContext,
  last: ReconciliationReport | undefined,
  cursor: ChainBlock,
): Promise<boolean> {
  if (!last || cursor.height - last.toHeight >= BLOCKS_MAX) return true;
  const age = (await ctx.now(ctx.db.manager)).getTime() - last.at.getTime();
  return age >= (last.differences.length > 0 ? EVERY_MS.differing : EVERY_MS.clean);
}

/** Processed blocks that the node still has. The first row was not processed: watching began at it. */
async function scopeOf(
  { db, log }: CommandContext,
  last: ReconciliationReport | undefined,
  cursor: ChainBlock,
  pruneHeight: number,
): Promise<Scope> {
  const lowest = ((await db.manager.minimum(ChainBlock, "height")) ?? cursor.height) + 1;
  const wanted = last ? last.toHeight + 1 - OVERLAP : cursor.height + 1 - FIRST_BLOCKS;
  const fromHeight = Math.max(wanted, lowest, pruneHeight);
  if (fromHeight > cursor.height && pruneHeight > cursor.height)
    throw new PostponedError("The node has pruned all blocks that were processed.");
  if (pruneHeight > Math.max(wanted, lowest))
    log.warn(
      { from: Math.max(wanted, lowest), to: pruneHeight - 1 },
      "reconciliation: pruned blocks skipped",
    );
  return { fromHeight, toHeight: Math.min(cursor.height, fromHeight + BLOCKS_MAX - 1) };
}

async function compare(
  ctx: CommandContext,
  chain: ChainPort,
  heights: readonly number[],
): Promise<Comparison> {
  const compared: Comparison = { differences: [], checkedPayments: 0, toHeight: heights.at(-1) ?? 0 };
  for (const height of heights) {
    const block = await compareOneBlock(ctx, chain, height);
    compared.differences.push(...block.differences);
    compared.checkedPayments += block.outputs;
    compared.toHeight = height;
    if (compared.differences.length >= DIFFERENCES_MAX) break;
  }
  const unconfirmed = await readUnconfirmed(ctx);
  const mempool = new Set(unconfirmed.length === 0 ? [] : await chain.mempoolTxids());
  const missing = unconfirmed.filter(({ txid }) => txid === null || !mempool.has(txid));
  compared.differences.push(...missing.map(missingInMempool));
  compared.checkedPayments += unconfirmed.length;
  return compared;
}

/** Those that a second check finds too. */
async function confirmed(
  ctx: CommandContext,
  chain: ChainPort,
  first: Comparison,
): Promise<BookDifference[]> {
  if (first.differences.length === 0) return [];
  if (!(await awaitChainCheck(ctx))) throw new PostponedError("chain-watch is not running or behind.");
  const second = await compare(ctx, chain, heightsOf(first.differences));
  return second.differences.filter((found) => first.differences.some((one) => sameDifference(one, found)));
}

async function compareOneBlock(
  ctx: CommandContext,
  chain: ChainPort,
  height: number,
): Promise<{ outputs: number; differences: BookDifference[] }> {
  const hash = await chain.blockHash(height);
  const raw = hash === null ? null : await chain.rawBlock(hash);
  if (hash === null || raw === null) throw new PostponedError(`The node does not have block ${height}.`);
  const { txs, timeSeconds } = decode(raw, hash);
  const { manager } = ctx.db;
  const { paid } = await findMatches(manager, txs);
  const invoiceIds = [...new Set(paid.map(({ watched }) => watched.invoiceId))];
  const invoices = await manager.find(Invoice, {
    select: { id: true, createdAt: true },
    where: { id: Any(invoiceIds) },
  });
  const madeAt = new Map(invoices.map(({ id, createdAt }) => [id, createdAt]));
  const outputs = paid.map(({ tx, output, watched }) => ({
    id: `${tx.txid}:${output.vout}`,
    invoiceId: watched.invoiceId,
    invoiceCreatedAt: madeAt.get(watched.invoiceId) ?? new Date(0),
    amountSats: output.valueSats,
  }));
  const rows = await readBooked(
    ctx,
    height,
    outputs.map(({ id }) => id),
  );
  const minedAt = new Date(timeSeconds * 1_000);
  return { outputs: outputs.length, differences: compareBlock({ height, hash, minedAt, outputs }, rows) };
}

/** The rows of these payments, and all rows that name this height. */
async function readBooked(
  { db }: CommandContext,
  height: number,
  ids: readonly string[],
): Promise<BookedPayment[]> {
  return db.manager.findBy(Payment, [{ id: Any(ids) }, { blockHeight: height }]);
}

/** Payments that count and are in no block. Contested and missing ones are reported by chain-watch. */
async function readUnconfirmed({ db }: CommandContext): Promise<Payment[]> {
  return db.manager.findBy(Payment, {
    type: "BTC-CHAIN",
    blockHeight: IsNull(),
    state: In(["pending", "confirmed"]),
    missingSince: IsNull(),
    conflictTxid: IsNull(),
  });
}

/** Writes report and alert together. A difference is alerted once; when none is left, all these alerts end. */
async function write(
  ctx: CommandContext,
  { fromHeight, toHeight, checkedPayments, differences }: Comparison & Scope,
  before: readonly BookDifference[],
): Promise<void> {
  const id = ctx.newId("rep");
  const fresh = differences.filter((found) => !before.some((one) => sameDifference(one, found)));
  await ctx.db.transaction(async (manager) => {
    const at = await ctx.now(manager);
    await manager.insert(ReconciliationReport, {
      id,
      at,
      fromHeight,
      toHeight,
      checkedPayments,
      differences,
    });
    if (fresh.length > 0)
      await raiseAlert(manager, ctx, {
        kind: "books-differ",
        severity: "critical",
        subject: id,
        message: messageOf(id, fresh),
      });
    if (differences.length === 0) await resolveAlertsExcept(manager, ctx, "books-differ", []);
  });
  ctx.log.info(
    { reportId: id, fromHeight, toHeight, checkedPayments, differences: differences.length },
    "reconciliation: done",
  );
}

function messageOf(id: string, differences: readonly BookDifference[]): string {
  const named = differences.slice(0, NAMED_IN_ALERT).map(wordsOf).join("; ");
  const more = differences.length - NAMED_IN_ALERT;
  return `Chain and database differ: ${named}${more > 0 ? `; and ${more} more` : ""}. All of them: reconciliation_reports, ${id}.`;
}

function wordsOf({ kind, paymentId, invoiceId, height, chainSats, databaseSats }: BookDifference): string {
  const sums = [
    ...(chainSats === null ? [] : [`chain ${chainSats} sats`]),
    ...(databaseSats === null ? [] : [`database ${databaseSats} sats`]),
  ];
  const place = height === null ? "in no block" : `block ${height}`;
  return `${kind} ${paymentId} (${place}, invoice ${invoiceId}, ${sums.join(", ")})`;
}

function heightsOf(differences: readonly BookDifference[]): number[] {
  const heights = differences.flatMap(({ height }) => (height === null ? [] : [height]));
  return [...new Set(heights)].sort((one, other) => one - other);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}
