import { isDatabaseOutage } from "../adapters/database-outage";
import { changeInvoice, changeInvoices, type InvoiceChange } from "../commands/change-invoice";
import type { CommandContext } from "../commands/context";
import type { JobOutcome } from "../commands/jobs";
import { tryFollowAnswers } from "../commands/tend-lightning";
import { DomainError } from "../domain/errors";
import { inTurns } from "../domain/in-turns";

/** Jobs at a time in a process: as many as a transaction takes, while as many gather. */
export const DECIDED_AT_ONCE = 200;
const INVOICES_A_TRANSACTION = 100;
/** Questions to the Lightning node at a time. */
const ASKING_AT_ONCE = 4;

interface Asked {
  invoiceId: string;
  resolve(change: InvoiceChange): void;
  reject(error: unknown): void;
}

/**
 * Decides invoices: one at once when it comes alone; those that come while others are being decided together, in one
 * transaction with as many statements as one takes. A hundred thousand that expire at one instant are no other work.
 */
export function makeDecide(
  ctx: CommandContext,
  { transactionsAtOnce }: { transactionsAtOnce: number },
): (invoiceId: string) => Promise<JobOutcome> {
  const change = gathered(ctx, transactionsAtOnce);
  const following = inTurns(ASKING_AT_ONCE);
  return async (invoiceId) => {
    const { moves, asksLightning } = await change(invoiceId);
    const more = asksLightning ? await following(() => tryFollowAnswers(ctx, invoiceId)) : [];
    return { kind: "done", reason: `${moves.length + more.length} moves` };
  };
}

function gathered(
  ctx: CommandContext,
  transactionsAtOnce: number,
): (invoiceId: string) => Promise<InvoiceChange> {
  const waiting: Asked[] = [];
  let running = 0;
  const run = async (): Promise<void> => {
    running += 1;
    while (waiting.length > 0) await changeTogether(ctx, waiting.splice(0, INVOICES_A_TRANSACTION));
    running -= 1;
  };
  return (invoiceId) =>
    new Promise((resolve, reject) => {
      waiting.push({ invoiceId, resolve, reject });
      if (running < transactionsAtOnce) void run();
    });
}

/** Never rejects: each of those who asked is told. */
async function changeTogether(ctx: CommandContext, asked: readonly Asked[]): Promise<void> {
  try {
    const changes = await changeInvoices(
      ctx,
      asked.map(({ invoiceId }) => invoiceId),
    );
    for (const { invoiceId, resolve, reject } of asked) {
      const changed = changes.get(invoiceId);
      if (changed) resolve(changed);
      else reject(new DomainError("invoice-not-found", "There is no such invoice."));
    }
  } catch (error) {
    // One that cannot be decided must not keep the others from it.
    if (asked.length > 1 && !isDatabaseOutage(error)) await changeEach(ctx, asked);
    else for (const { reject } of asked) reject(error);
  }
}

async function changeEach(ctx: CommandContext, asked: readonly Asked[]): Promise<void> {
  for (const { invoiceId, resolve, reject } of asked)
    await changeInvoice(ctx, invoiceId).then(resolve, reject);
}
