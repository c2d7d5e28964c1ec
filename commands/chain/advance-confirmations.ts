import type { CommandContext } from "../context";
import { decideInvoices } from "../invoices/change-invoice";
import { isItemFailure } from "../../database/item-failure";
import { readDeepEnough, readDeepPayments } from "./payment-queries";
import { alertFailingInvoice, endFailingInvoices } from "../server/raise-alert";
import { writePayments, lockPaidInvoices } from "./write-payments";
import { inTransaction, type Tx } from "../transaction";

/** An invoice may have more payments: all of its payments that are deep enough are confirmed together. */
const PAYMENTS_A_TRANSACTION = 2_000;

/**
 * Confirms the payments that have reached their depth below the last processed block, and decides their invoices in
 * the same transaction. Idempotent, safe in several processes at once. Returns how many payments there were.
 */
export async function advanceConfirmations(ctx: CommandContext): Promise<number> {
  let confirmed = 0;
  let after = "";
  for (;;) {
    const candidates = await deepEnough(ctx, after);
    const last = candidates.at(-1);
    if (last === undefined) return confirmed;
    after = last;
    confirmed += await tryConfirm(ctx, candidates);
  }
}

/**
 * In one transaction; if that fails, each invoice alone, so that one that cannot be confirmed does not stop the
 * others.
 */
async function tryConfirm(ctx: CommandContext, candidates: readonly string[]): Promise<number> {
  try {
    const confirmed = await confirmInvoices(ctx, candidates);
    await endFailingInvoices(ctx, candidates);
    return confirmed;
  } catch (error) {
    if (!isItemFailure(error)) throw error;
    const [only = "", ...others] = candidates;
    if (others.length === 0) {
      await alertFailingInvoice(ctx, only, error);
      return 0;
    }
    let confirmed = 0;
    for (const candidate of candidates) confirmed += await tryConfirm(ctx, [candidate]);
    return confirmed;
  }
}

/** Confirms the payments of these invoices that are deep enough, in one transaction. Returns how many there were. */
async function confirmInvoices(ctx: CommandContext, candidates: readonly string[]): Promise<number> {
  return inTransaction(ctx, (tx) => confirm(tx, candidates));
}

/** Invoices, ordered by id, with payments that have reached their depth: as many as one transaction takes. */
async function deepEnough(ctx: CommandContext, after: string): Promise<string[]> {
  const { rows } = await readDeepEnough(ctx.db.manager, after);
  let payments = 0;
  return rows
    .filter((row, at) => (payments += row.payments) <= PAYMENTS_A_TRANSACTION || at === 0)
    .map(({ id }) => id);
}

async function confirm(tx: Tx, candidates: readonly string[]): Promise<number> {
  const { manager } = tx;
  const invoices = await lockPaidInvoices(manager, candidates);
  // Read again under the locks, since a reorganisation may have come in between.
  const deep = await readDeepPayments(manager, candidates);
  const now = await tx.now();
  const lines = deep.map((before) => ({
    kind: "confirmed",
    before,
    payment: { ...before, state: "confirmed" as const, confirmedAt: now },
  }));
  await decideInvoices(tx, await writePayments(tx, lines, invoices, now));
  return lines.length;
}
