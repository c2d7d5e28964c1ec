import { Any } from "typeorm";

import { isMinedBefore, isLive } from "../../domain/chain/onchain-payment";
import { DomainError, NodeUnavailableError } from "../../domain/errors";
import { ChainBlock } from "../../entities/chain-block";
import { Invoice } from "../../entities/invoice";
import { Payment } from "../../entities/payment";
import { type BookDifference, ReconciliationReport } from "../../entities/reconciliation-report";
import type { CommandContext } from "../context";
import type { ChainPort } from "../ports";
import { awaitChainCheck } from "../server/await-chain-check";
import { raiseAlert, resolveAlertsExcept } from "../server/raise-alert";
import { checkDestinations } from "../wallets/check-destinations";
import { decode, readCursor } from "./process-block";
import { findMatches } from "./record-transactions";
import { readBlock, usableNode } from "./rescan-chain";
import { inTransaction } from "../transaction";

const HOUR_MS = 3_600_000;
/** While there is a difference it runs more often, so that the alert ends soon after the fix. */
const EVERY_MS = { clean: 24 * HOUR_MS, differing: HOUR_MS };
/** Somewhat more than a day. */
const FIRST_BLOCKS = 180;
/** Read again, since the tip may have been reorganised. */
const OVERLAP = 6;
/** A database that lost more does not need a list. */
const DIFFERENCES_MAX = 1_000;
const NAMED_IN_ALERT = 10;

interface Comparison {
  differences: BookDifference[];
  checkedPayments: number;
  toHeight: number;
}

/**
 * A rescan of the last day that writes no payment: a report of where blocks and payments differ, with an alert. Returns
 * how many differences there are; 0 if the node or chain-watch is away, and then the next call tries again.
 */
export async function compareWithChain(ctx: CommandContext): Promise<number> {
  const [last] = await ctx.db.manager.find(ReconciliationReport, {
    order: { at: "DESC", id: "DESC" },
    take: 1,
  });
  const cursor = await readCursor(ctx.db.manager);
  if (ctx.chain === null || cursor === null || !(await isDue(ctx, last))) return 0;
  await checkDestinations(ctx);
  try {
    return await report(ctx, last, cursor.height);
  } catch (error) {
    const passes = error instanceof NodeUnavailableError || error instanceof DomainError;
    if (!passes) throw error;
    ctx.log.warn({ reason: error.message }, "reconciliation: postponed");
    return 0;
  }
}

async function isDue(ctx: CommandContext, last: ReconciliationReport | undefined): Promise<boolean> {
  if (!last) return true;
  const age = (await ctx.now(ctx.db.manager)).getTime() - last.at.getTime();
  return age >= (last.differences.length > 0 ? EVERY_MS.differing : EVERY_MS.clean);
}

async function report(
  ctx: CommandContext,
  last: ReconciliationReport | undefined,
  tip: number,
): Promise<number> {
  const { pruneHeight } = (await usableNode(ctx)).info;
  // The first row was not processed: watching began at it.
  const lowest = ((await ctx.db.manager.minimum(ChainBlock, "height")) ?? tip) + 1;
  const wanted = Math.max(last ? last.toHeight + 1 - OVERLAP : tip + 1 - FIRST_BLOCKS, lowest);
  const fromHeight = Math.max(wanted, pruneHeight);
  if (fromHeight > wanted)
    ctx.log.warn({ from: wanted, to: fromHeight - 1 }, "reconciliation: pruned blocks skipped");
  const before = last?.differences ?? [];
  const pruned = before.filter(({ height }) => height < pruneHeight);
  const again = heightsOf(before).filter((height) => height >= pruneHeight && height < fromHeight);
  const heights = [...again, ...Array.from({ length: tip + 1 - fromHeight }, (_, at) => fromHeight + at)];
  const first = await compareBlocks(ctx, heights);
  const differences = [...pruned, ...(await confirmed(ctx, first.differences))];
  await write(ctx, { ...first, fromHeight, differences }, before);
  return differences.length;
}

/** Found by a second comparison too: a complete check by chain-watch comes in between. */
async function confirmed(ctx: CommandContext, found: readonly BookDifference[]): Promise<BookDifference[]> {
  if (found.length === 0) return [];
  if (!(await awaitChainCheck(ctx)))
    throw new DomainError("unavailable", "chain-watch is not running or behind.");
  const { differences } = await compareBlocks(ctx, heightsOf(found));
  return differences.filter((again) => found.some((one) => isSame(one, again)));
}

async function compareBlocks(ctx: CommandContext, heights: readonly number[]): Promise<Comparison> {
  const compared: Comparison = { differences: [], checkedPayments: 0, toHeight: heights.at(-1) ?? 0 };
  const { chain } = await usableNode(ctx);
  for (const height of heights) {
    const { outputs, differences } = await compareBlock(ctx, chain, height);
    compared.differences.push(...differences);
    compared.checkedPayments += outputs;
    compared.toHeight = height;
    if (compared.differences.length >= DIFFERENCES_MAX) break;
  }
  return compared;
}

async function compareBlock(
  ctx: CommandContext,
  chain: ChainPort,
  height: number,
): Promise<{ outputs: number; differences: BookDifference[] }> {
  const { manager } = ctx.db;
  const block = await readBlock(chain, height);
  if (block === null) throw new DomainError("unavailable", `The node does not have block ${height}.`);
  const { txs, timeSeconds } = decode(block.raw, block.hash);
  const minedAt = new Date(timeSeconds * 1_000);
  const paid = (await findMatches(manager, txs)).paid.map(({ tx, output, watched: { invoiceId } }) => ({
    paymentId: `${tx.txid}:${output.vout}`,
    invoiceId,
    sats: output.valueSats,
  }));
  const ids = paid.map(({ paymentId }) => paymentId);
  const invoices = await manager.find(Invoice, {
    select: { id: true, createdAt: true },
    where: { id: Any(paid.map(({ invoiceId }) => invoiceId)) },
  });
  // An output that was mined before its invoice was created paid somebody else, and may have been read before it.
  const older = new Set(
    invoices.filter(({ createdAt }) => isMinedBefore(minedAt, createdAt)).map(({ id }) => id),
  );
  const rows = await manager.findBy(Payment, [{ id: Any(ids) }, { blockHeight: height }]);
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const differences = paid.flatMap(({ sats, ...output }): BookDifference[] => {
    const row = rowOf.get(output.paymentId);
    const sums = { chainSats: String(sats), databaseSats: row ? String(row.amountSats) : null };
    if (!row && older.has(output.invoiceId)) return [];
    if (!row) return [{ kind: "not-in-database", ...output, height, ...sums }];
    const { invoiceId, amountSats, blockHash } = row;
    const same =
      invoiceId === output.invoiceId && amountSats === sats && blockHash === block.hash && isLive(row);
    return same ? [] : [{ kind: "differs", ...output, height, ...sums }];
  });
  const invented = rows
    .filter(({ id, blockHeight }) => blockHeight === height && !ids.includes(id))
    .map(({ id: paymentId, invoiceId, amountSats }) => {
      const kind = "not-in-block" as const;
      return { kind, paymentId, invoiceId, height, chainSats: null, databaseSats: String(amountSats) };
    });
  return { outputs: paid.length, differences: [...differences, ...invented] };
}

/** Report and alert together. A difference is alerted once; when none is left, all these alerts end. */
async function write(
  ctx: CommandContext,
  { differences, ...compared }: Comparison & { fromHeight: number },
  before: readonly BookDifference[],
): Promise<void> {
  const id = ctx.newId("rep");
  const fresh = differences.filter((found) => !before.some((one) => isSame(one, found)));
  await inTransaction(ctx, async (tx) => {
    const at = await tx.now();
    await tx.manager.insert(ReconciliationReport, { id, at, ...compared, differences });
    if (fresh.length > 0)
      await raiseAlert(tx, {
        kind: "books-differ",
        severity: "critical",
        subject: id,
        message: messageOf(id, fresh),
      });
    if (differences.length === 0) await resolveAlertsExcept(tx, "books-differ", []);
  });
  ctx.log.info({ reportId: id, ...compared, differences: differences.length }, "reconciliation: done");
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
  return `${kind} ${paymentId} (block ${height}, invoice ${invoiceId}, ${sums.join(", ")})`;
}

function heightsOf(differences: readonly BookDifference[]): number[] {
  return [...new Set(differences.map(({ height }) => height))].sort((one, other) => one - other);
}

function isSame(one: BookDifference, other: BookDifference): boolean {
  return one.kind === other.kind && one.paymentId === other.paymentId && one.height === other.height;
}
