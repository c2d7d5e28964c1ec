import { type EntityManager, IsNull } from "typeorm";
import { DomainError } from "../domain/errors";
import { confirmedSats, paidSats } from "../domain/invoice/amounts";
import { after, mark, type Move, nextDecisionAt, settleDown } from "../domain/invoice/decide";
import type { InvoiceFacts, RailFacts } from "../domain/invoice/facts";
import type { Mark } from "../domain/invoice/status";
import { Invoice } from "../entities/invoice";
import { InvoiceHistory } from "../entities/invoice-history";
import { InvoicePaymentMethod } from "../entities/invoice-payment-method";
import { Payment } from "../entities/payment";
import { alertInvoice } from "./alert-invoice";
import type { CommandContext } from "./context";
import { planBolt11s, readLightningState } from "./plan-bolt11s";
import { readFacts, readRailFacts } from "./read-facts";
import { tellChanges } from "./tell-change";
import { writeAudit } from "./write-audit";
import { writeEvent } from "./write-event";

export interface InvoiceChange {
  /** Empty when the invoice stands where it stood. */
  moves: readonly Move[];
  /** The Lightning node has to be asked or told something of it: see tend-lightning. */
  asksLightning: boolean;
}

export interface HandMark {
  to: Mark;
  note: string | null;
}

/**
 * Decides one invoice again by what the database knows now, in one transaction under the invoice's row lock: the new
 * state, its events and their deliveries are committed together or not at all. Safe to run at any time, any number of
 * times. The only writer of `invoices.status`.
 * @throws DomainError `invoice-not-found`.
 */
export async function changeInvoice(ctx: CommandContext, invoiceId: string): Promise<InvoiceChange> {
  return change(ctx, invoiceId, null);
}

/**
 * Marks an invoice by hand (rows 13 and 14), then decides on from there.
 * @throws DomainError `invoice-not-found`; `invalid-transition` for the mark that it bears already.
 */
export async function changeInvoiceByHand(
  ctx: CommandContext,
  invoiceId: string,
  byHand: HandMark,
): Promise<InvoiceChange> {
  return change(ctx, invoiceId, byHand);
}

async function change(
  ctx: CommandContext,
  invoiceId: string,
  byHand: HandMark | null,
): Promise<InvoiceChange> {
  const { moves, deliveryIds, asksLightning } = await ctx.db.transaction(async (manager) => {
    const invoice = await lockInvoice(manager, invoiceId);
    const now = await ctx.now(manager); // after the lock: whoever decided before us did so at an earlier instant
    const facts = await readFacts(manager, invoice);
    const methods = await manager.findBy(InvoicePaymentMethod, { invoiceId });
    const lightning = await readLightningState(manager, invoiceId, methods);
    const rails = await readRailFacts(manager, ctx, invoice, { methods, lightning, now });
    if (facts.payments.length > 0) await nameStore(manager, invoice);
    const decided = decideAll(facts, now, rails, byHand);
    const ids: string[] = [];
    for (const { event } of decided.moves)
      if (event) ids.push(...(await writeEvent(manager, ctx, invoice, event, now)));
    const history = decided.moves.map((move) => ({
      invoiceId,
      at: now,
      kind: "status" as const,
      details: { ...detailsOf(move), ...(byHand?.note && isByHand(move) ? { note: byHand.note } : {}) },
    }));
    if (history.length > 0) await manager.insert(InvoiceHistory, history);
    if (byHand)
      await writeAudit(manager, ctx, {
        action: "invoice.marked",
        storeId: invoice.storeId,
        subject: invoiceId,
        details: { status: byHand.to },
      });
    await manager.update(Invoice, invoice.id, {
      status: decided.facts.status,
      additionalStatus: decided.facts.additionalStatus,
      markedByHand: decided.facts.markedByHand,
      ...(byHand ? { markNote: byHand.note } : {}),
      paidSats: paidSats(decided.facts),
      confirmedSats: confirmedSats(decided.facts),
      decideAt: nextDecisionAt(decided.facts, now, rails),
    });
    if (decided.facts.status !== "New") await closeUnopened(manager, methods);
    const standing = { invoice, facts: decided.facts, rails, now };
    await alertInvoice(manager, ctx, standing);
    const bolt11s = lightning && (await planBolt11s(manager, ctx, lightning, standing));
    if (bolt11s?.shown || decided.moves.length > 0 || receivedOther(invoice, decided.facts))
      await tellChanges(manager, [{ topic: "invoices", storeId: invoice.storeId, invoiceId }]);
    return { moves: decided.moves, deliveryIds: ids, asksLightning: bolt11s?.asksLightning ?? false };
  });
  await ctx.enqueue(
    "webhook-delivery",
    deliveryIds.map((deliveryId) => ({ deliveryId, attempt: 1 })),
  );
  for (const move of moves) ctx.log.info({ invoiceId, ...detailsOf(move) }, "invoice changed");
  return { moves, asksLightning };
}

/** Than was written. A mark by hand may stand before the money does, and change nothing but this when it comes. */
function receivedOther(before: Invoice, facts: InvoiceFacts): boolean {
  return paidSats(facts) !== before.paidSats || confirmedSats(facts) !== before.confirmedSats;
}

/** An address that nobody asked for in time is never given. */
async function closeUnopened(
  manager: EntityManager,
  methods: readonly InvoicePaymentMethod[],
): Promise<void> {
  for (const { invoiceId, type, reason } of methods)
    if (reason === "not-activated")
      await manager.update(InvoicePaymentMethod, { invoiceId, type }, { reason: "no-longer-payable" });
}

/** Payments come without their store: what a store received is found by it. */
async function nameStore(manager: EntityManager, { id, storeId }: Invoice): Promise<void> {
  await manager.update(Payment, { invoiceId: id, storeId: IsNull() }, { storeId });
}

function decideAll(
  facts: InvoiceFacts,
  now: Date,
  rails: RailFacts,
  byHand: HandMark | null,
): { moves: Move[]; facts: InvoiceFacts } {
  const due = settleDown(facts, now, rails); // what was due before the mark is told before it
  if (byHand === null) return due;
  const marked = mark(due.facts, byHand.to);
  const rest = settleDown(after(due.facts, marked), now, rails);
  return { moves: [...due.moves, marked, ...rest.moves], facts: rest.facts };
}

/** Rows 13 and 14. */
function isByHand({ row }: Move): boolean {
  return row >= 13;
}

function detailsOf({ row, status, additionalStatus, reason }: Move): Omit<Move, "markedByHand" | "event"> {
  return { row, status, additionalStatus, reason };
}

/** @throws DomainError `invoice-not-found`, also for one of another store where a store is given. */
export async function lockInvoice(
  manager: EntityManager,
  invoiceId: string,
  storeId?: string,
): Promise<Invoice> {
  const lock = { mode: "pessimistic_write" } as const;
  const where = { id: invoiceId, ...(storeId === undefined ? {} : { storeId }) };
  const invoice = await manager.findOne(Invoice, { where, lock });
  if (!invoice) throw new DomainError("invoice-not-found", "There is no such invoice.");
  return invoice;
}
