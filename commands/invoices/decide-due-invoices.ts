import { In } from "typeorm";
import { isItemFailure } from "../../database/item-failure";
import { groupBy } from "../../domain/group-by";
import { holdMayBeOver } from "../../domain/invoice/state-table";
import { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { type ChainStanding, readChainStanding } from "../chain/chain-standing";
import { changeInvoices } from "./change-invoice";
import type { CommandContext } from "../context";
import type { JobOutcome } from "../jobs";
import { readLightningStates } from "../lightning/plan-bolt11s";
import { decideInvoice } from "../lightning/sync-lightning-invoices";
import { syncFactsOf } from "./read-facts";
import { alertFailingInvoice, endFailingInvoices } from "../server/raise-alert";
import { type DueInvoice, type HeldInvoice, readDue, readHeld, SWEPT_AT_ONCE } from "./queries";

/** Every invoice that is due, and every hold that is over, a batch per transaction. Returns how many there were. */
export async function decideDueInvoices(ctx: CommandContext): Promise<number> {
  const now = await ctx.now(ctx.db.manager);
  return (await decideDue(ctx, now)) + (await decideHeld(ctx, now));
}

/** Unless another process is deciding it. */
export async function decideDueInvoice(ctx: CommandContext, invoiceId: string): Promise<void> {
  await decideBatch(ctx, [invoiceId], await ctx.now(ctx.db.manager));
}

/** An invoice that cannot be decided stays due, and the sweep asks for its job again. */
export async function decideByJob(ctx: CommandContext, invoiceId: string): Promise<JobOutcome> {
  try {
    const moves = await decideInvoice(ctx, invoiceId);
    await endFailingInvoices(ctx, [invoiceId]);
    return { kind: "done", reason: `${moves.length} moves` };
  } catch (error) {
    if (isItemFailure(error)) await alertFailingInvoice(ctx, invoiceId, error);
    throw error;
  }
}

async function decideDue(ctx: CommandContext, now: Date): Promise<number> {
  let count = 0;
  let after: DueInvoice = { id: "", decideAt: "-infinity" };
  for (;;) {
    const { rows: due } = await readDue(ctx.db.manager, now, after.decideAt, after.id);
    const ids = due.map(({ id }) => id);
    await decideBatch(ctx, ids, now);
    count += ids.length;
    after = due.at(-1) ?? after;
    if (due.length < SWEPT_AT_ONCE) return count;
  }
}

/** Only those that may be decided by now are locked. */
async function decideHeld(ctx: CommandContext, now: Date): Promise<number> {
  let count = 0;
  let after = "";
  // Per sweep: while a node is away a hundred thousand may be held. Decisions read it again, under the locks.
  let chain: ChainStanding | null = null;
  for (;;) {
    const { rows: held } = await readHeld(ctx.db.manager, after);
    if (held.length === 0) return count;
    chain ??= await readChainStanding(ctx.db.manager);
    const ids = await thoseNotHeldNow(ctx, { held, chain, now });
    await decideBatch(ctx, ids, now);
    count += ids.length;
    after = held.at(-1)?.id ?? after;
    if (held.length < SWEPT_AT_ONCE) return count;
  }
}

async function thoseNotHeldNow(
  ctx: CommandContext,
  { held, chain, now }: { held: readonly HeldInvoice[]; chain: ChainStanding; now: Date },
): Promise<string[]> {
  const { manager } = ctx.db;
  const methods = await manager.findBy(InvoicePaymentMethod, { invoiceId: In(held.map(({ id }) => id)) });
  const methodsOf = groupBy(methods, ({ invoiceId }) => invoiceId);
  const lightningOf = await readLightningStates(manager, methods);
  const free = held.filter((invoice) => {
    const lightning = lightningOf.get(invoice.id) ?? null;
    const seen = { methods: methodsOf.get(invoice.id) ?? [], lightning, chain, now };
    return holdMayBeOver(invoice, now, syncFactsOf(ctx, invoice, seen));
  });
  return free.map(({ id }) => id);
}

/** Invoices locked by another process are skipped. */
async function decideBatch(ctx: CommandContext, invoiceIds: readonly string[], dueBy: Date): Promise<void> {
  if (invoiceIds.length === 0) return;
  const left = await decideTogether(ctx, invoiceIds, dueBy);
  await ctx.enqueue(
    "invoices",
    left.map((invoiceId) => ({ invoiceId })),
    { sweep: true },
  );
}

async function decideTogether(
  ctx: CommandContext,
  invoiceIds: readonly string[],
  dueBy: Date,
): Promise<readonly string[]> {
  try {
    const changes = await changeInvoices(ctx, invoiceIds, { dueBy });
    await endFailingInvoices(ctx, [...changes.keys()]);
    return [...changes].filter(([, { asksLightning }]) => asksLightning).map(([invoiceId]) => invoiceId);
  } catch (error) {
    // It must not stop the others.
    ctx.log.warn(
      { err: error, invoices: invoiceIds.length },
      "invoice: batch decision failed, deciding one by one",
    );
    return invoiceIds;
  }
}
