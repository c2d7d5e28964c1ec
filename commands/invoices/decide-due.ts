import { In } from "typeorm";
import { isItemFailure } from "../../database/item-failure";
import { groupBy } from "../../domain/group-by";
import { holdMayBeOver } from "../../domain/invoice/state-table";
import { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { askingLightning, changeInvoices } from "./change-invoice";
import type { CommandContext } from "../context";
import type { JobOutcome } from "../jobs";
import { lightningStates } from "../lightning/plan-bolt11s";
import { unfinishedBolt11s } from "../lightning/queries";
import { decideInvoice } from "./sync-lightning-invoices";
import { syncFactsOf, type ChainStanding, readChainStanding } from "./decisions";
import { alertFailingInvoice, endFailingInvoices } from "../server/raise-alert";
import { type DueInvoice, type HeldInvoice, readDue, readHeld, SWEPT_AT_ONCE } from "./queries";

/** Every invoice that is due, and every hold that is over, or `only` one. Returns how many there were. */
export async function decideDue(ctx: CommandContext, only?: string): Promise<number> {
  const now = await ctx.now(ctx.db.manager);
  if (only !== undefined) return decideBatch(ctx, [only], now);
  return (await sweepDue(ctx, now)) + (await sweepHeld(ctx, now));
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

async function sweepDue(ctx: CommandContext, now: Date): Promise<number> {
  let count = 0;
  let after: DueInvoice = { id: "", decideAt: "-infinity" };
  for (;;) {
    const { rows: due } = await readDue(ctx.db.manager, now, after.decideAt, after.id);
    count += await decideBatch(
      ctx,
      due.map(({ id }) => id),
      now,
    );
    after = due.at(-1) ?? after;
    if (due.length < SWEPT_AT_ONCE) return count;
  }
}

/** Only those that may be decided by now are locked. */
async function sweepHeld(ctx: CommandContext, now: Date): Promise<number> {
  let count = 0;
  let after = "";
  // Per sweep: while a node is away a hundred thousand may be held. Decisions read it again, under the locks.
  let chain: ChainStanding | null = null;
  for (;;) {
    const { rows: held } = await readHeld(ctx.db.manager, after);
    if (held.length === 0) return count;
    chain ??= await readChainStanding(ctx.db.manager);
    count += await decideBatch(ctx, await thoseNotHeldNow(ctx, { held, chain, now }), now);
    after = held.at(-1)?.id ?? after;
    if (held.length < SWEPT_AT_ONCE) return count;
  }
}

async function thoseNotHeldNow(
  ctx: CommandContext,
  { held, chain, now }: { held: readonly HeldInvoice[]; chain: ChainStanding; now: Date },
): Promise<string[]> {
  const { manager } = ctx.db;
  const ids = held.map(({ id }) => id);
  const methods = await manager.findBy(InvoicePaymentMethod, { invoiceId: In(ids) });
  const methodsOf = groupBy(methods, ({ invoiceId }) => invoiceId);
  const lightningOf = lightningStates(methods, await unfinishedBolt11s(manager, ids));
  const free = held.filter((invoice) => {
    const lightning = lightningOf.get(invoice.id) ?? null;
    const seen = { methods: methodsOf.get(invoice.id) ?? [], lightning, chain, now };
    return holdMayBeOver(invoice, now, syncFactsOf(ctx, invoice, seen));
  });
  return free.map(({ id }) => id);
}

/** Invoices locked by another process are skipped. What is left gets a job each. */
async function decideBatch(ctx: CommandContext, invoiceIds: readonly string[], dueBy: Date): Promise<number> {
  let left = invoiceIds;
  try {
    if (left.length > 0) {
      const changes = await changeInvoices(ctx, invoiceIds, { dueBy });
      await endFailingInvoices(ctx, [...changes.keys()]);
      left = askingLightning(changes);
    }
  } catch (error) {
    ctx.log.warn(
      { err: error, invoices: invoiceIds.length },
      "invoice: batch decision failed, deciding one by one",
    );
  }
  await ctx.enqueue(
    "invoices",
    left.map((invoiceId) => ({ invoiceId })),
    { sweep: true },
  );
  return invoiceIds.length;
}
