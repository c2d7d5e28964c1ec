import type { EntityManager } from "typeorm";
import { applyDecisions, askingLightning, type Decision, followDecision } from "./change-invoice";
import type { CommandContext } from "../context";
import { isItemFailure } from "../../database/item-failure";
import { lockInvoices } from "./lock-invoices";
import { markDue } from "./queries";

export { markDue } from "./queries";

/** Their data is in memory, with up to 32 KiB of metadata each. */
const BATCH = 200;

export interface TouchedInvoices {
  invoiceIds: readonly string[];
  /** Read after the invoices were locked. */
  now: Date;
}

export interface Decisions extends Decision {
  /** Neither together nor alone: they are due, and get a job each. */
  undecided: { invoiceIds: readonly string[]; error: unknown }[];
}

/**
 * The last step of a transaction that recorded facts about locked invoices: all is committed together or not at all. An
 * invoice that cannot be decided prevents neither the others nor the commit. `followDecisions` comes after it, or the
 * sweeps.
 */
export async function decideInvoices(
  manager: EntityManager,
  ctx: CommandContext,
  touched: TouchedInvoices | null,
): Promise<Decisions> {
  const decided: Decisions = { changes: new Map(), webhookIds: new Set(), undecided: [] };
  if (touched === null) return decided;
  const { invoiceIds, now } = touched;
  for (let at = 0; at < invoiceIds.length; at += BATCH)
    await decideBatch(manager, ctx, { invoiceIds: invoiceIds.slice(at, at + BATCH), now }, decided);
  return decided;
}

/** In a savepoint; if that fails, each invoice alone. */
async function decideBatch(
  manager: EntityManager,
  ctx: CommandContext,
  { invoiceIds, now }: TouchedInvoices,
  decided: Decisions,
): Promise<void> {
  try {
    // Nested: a savepoint.
    const { changes, webhookIds } = await manager.transaction(async (within) =>
      applyDecisions(within, ctx, await lockInvoices(within, invoiceIds), { now }),
    );
    for (const [invoiceId, change] of changes) decided.changes.set(invoiceId, change);
    for (const webhookId of webhookIds) decided.webhookIds.add(webhookId);
  } catch (error) {
    // The connection is gone with the transaction: report that error, not the one that follows.
    if (manager.queryRunner?.isReleased === true) throw error;
    await markDue(manager, invoiceIds, now);
    // Whatever delayed all, such as a lock, would delay each as long.
    if (invoiceIds.length === 1 || !isItemFailure(error)) decided.undecided.push({ invoiceIds, error });
    else for (const one of invoiceIds) await decideBatch(manager, ctx, { invoiceIds: [one], now }, decided);
  }
}

/** After the commit: deliveries are sent; undecided invoices, and those that need the Lightning node, get a job. */
export async function followDecisions(ctx: CommandContext, decided: Decisions): Promise<void> {
  for (const { invoiceIds, error } of decided.undecided) {
    const [invoiceId] = invoiceIds;
    ctx.log.error(
      { err: error, invoiceId, invoices: invoiceIds.length },
      "invoice: decision failed, left to a job",
    );
  }
  const left = [
    ...decided.undecided.flatMap(({ invoiceIds }) => invoiceIds),
    ...askingLightning(decided.changes),
  ];
  await Promise.all([
    followDecision(ctx, decided),
    ctx.enqueue(
      "invoices",
      left.map((invoiceId) => ({ invoiceId })),
    ),
  ]);
}
