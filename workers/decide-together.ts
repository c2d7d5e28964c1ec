import { isDatabaseOutage } from "../adapters/database-outage";
import { changeInvoice, changeInvoices, type InvoiceChange } from "../commands/change-invoice";
import type { CommandContext } from "../commands/context";
import type { JobOutcome } from "../commands/jobs";
import { tryFollowAnswers } from "../commands/tend-lightning";
import { DomainError } from "../domain/errors";
import { gather } from "../domain/gather";
import { inTurns } from "../domain/in-turns";

/** Jobs at a time in a process: as many as a transaction takes, while as many gather. */
export const DECIDED_AT_ONCE = 200;
const INVOICES_A_TRANSACTION = 100;
/** Questions to the Lightning node at a time. */
const ASKING_AT_ONCE = 4;

type Changed = PromiseSettledResult<InvoiceChange>;

/**
 * Decides invoices: one at once when it comes alone; those that come while others are being decided together, in one
 * transaction with as many statements as one takes. A hundred thousand that expire at one instant are no other work.
 */
export function makeDecide(
  ctx: CommandContext,
  { transactionsAtOnce }: { transactionsAtOnce: number },
): (invoiceId: string) => Promise<JobOutcome> {
  const change = gather<string, Changed>((invoiceIds) => changeTogether(ctx, invoiceIds), {
    runsAtOnce: transactionsAtOnce,
    atMost: INVOICES_A_TRANSACTION,
  });
  const following = inTurns(ASKING_AT_ONCE);
  return async (invoiceId) => {
    const changed = await change(invoiceId);
    if (changed.status === "rejected") throw changed.reason;
    const { moves, asksLightning } = changed.value;
    const more = asksLightning ? await following(() => tryFollowAnswers(ctx, invoiceId)) : [];
    return { kind: "done", reason: `${moves.length + more.length} moves` };
  };
}

async function changeTogether(ctx: CommandContext, invoiceIds: readonly string[]): Promise<Changed[]> {
  try {
    const changes = await changeInvoices(ctx, invoiceIds);
    return invoiceIds.map((invoiceId) => {
      const value = changes.get(invoiceId);
      if (value !== undefined) return { status: "fulfilled", value };
      const reason = new DomainError("invoice-not-found", "There is no such invoice.");
      return { status: "rejected", reason };
    });
  } catch (reason) {
    // One that cannot be decided must not keep the others from it.
    if (invoiceIds.length > 1 && !isDatabaseOutage(reason)) return changeEach(ctx, invoiceIds);
    return invoiceIds.map(() => ({ status: "rejected", reason }));
  }
}

async function changeEach(ctx: CommandContext, invoiceIds: readonly string[]): Promise<Changed[]> {
  const changed: Changed[] = [];
  for (const invoiceId of invoiceIds)
    changed.push(...(await Promise.allSettled([changeInvoice(ctx, invoiceId)])));
  return changed;
}
