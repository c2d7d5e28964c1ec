import { type EntityManager, In, IsNull } from "typeorm";
import { DomainError } from "../domain/errors";
import { confirmedSats, paidSats } from "../domain/invoice/amounts";
import { type Move, nextDecisionAt } from "../domain/invoice/decide";
import type { InvoiceFacts } from "../domain/invoice/facts";
import { Invoice } from "../entities/invoice";
import { InvoiceHistory } from "../entities/invoice-history";
import { InvoicePaymentMethod } from "../entities/invoice-payment-method";
import { Payment } from "../entities/payment";
import { alertInvoice } from "./alert-invoice";
import type { CommandContext } from "./context";
import { type Decided, decideEach, type HandMark } from "./decide-each";
import { insertRows } from "./insert-together";
import { type LockedInvoice, lockDueInvoices, lockInvoices } from "./lock-invoices";
import { enqueueNew } from "./next-deliveries";
import { planBolt11s } from "./plan-bolt11s";
import { type Change, tellChanges } from "./tell-change";
import { writeAudit } from "./write-audit";
import { writeEvents } from "./write-event";

export interface InvoiceChange {
  /** Empty when the invoice stands where it stood. */
  moves: readonly Move[];
  /** The Lightning node has to be asked or told something of it: see tend-lightning. */
  asksLightning: boolean;
}

/**
 * Decides one invoice again by what the database knows now, in one transaction under the invoice's row lock: the new
 * state, its events and their deliveries are committed together or not at all. Safe to run at any time, any number of
 * times. This file is the only writer of `invoices.status`.
 * @throws DomainError `invoice-not-found`.
 */
export async function changeInvoice(ctx: CommandContext, invoiceId: string): Promise<InvoiceChange> {
  return theOne(await change(ctx, [invoiceId]));
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
  return theOne(await change(ctx, [invoiceId], { byHand }));
}

/**
 * `changeInvoice` of many in one transaction, with as many statements as one takes. Answers by id; those that do not
 * exist are not in the answer.
 */
export async function changeInvoices(
  ctx: CommandContext,
  invoiceIds: readonly string[],
): Promise<Map<string, InvoiceChange>> {
  return change(ctx, invoiceIds);
}

/** `changeInvoices` of those that were due at an instant and are still, without those that somebody else is changing. */
export async function changeDueInvoices(
  ctx: CommandContext,
  invoiceIds: readonly string[],
  dueBy: Date,
): Promise<Map<string, InvoiceChange>> {
  return change(ctx, invoiceIds, { dueBy });
}

function theOne(changes: ReadonlyMap<string, InvoiceChange>): InvoiceChange {
  const [changed] = changes.values();
  if (changed === undefined) throw notFound();
  return changed;
}

async function change(
  ctx: CommandContext,
  invoiceIds: readonly string[],
  { byHand = null, dueBy = null }: { byHand?: HandMark | null; dueBy?: Date | null } = {},
): Promise<Map<string, InvoiceChange>> {
  const { changes, deliveries } = await ctx.db.transaction(async (manager) => {
    const invoices =
      dueBy === null
        ? await lockInvoices(manager, invoiceIds)
        : await lockDueInvoices(manager, invoiceIds, dueBy);
    const now = await ctx.now(manager); // after the locks: whoever decided before us did so at an earlier instant
    const decided = await decideEach(manager, ctx, invoices, now, byHand);
    const told = decided.flatMap(({ invoice, moves }) =>
      moves.flatMap(({ event }) => (event === null ? [] : [{ invoice, event }])),
    );
    const written = await writeEvents(manager, ctx, told, now);
    await writeHistory(manager, decided, now, byHand);
    await writeStates(manager, decided);
    if (byHand) await noteMark(manager, ctx, invoices, byHand);
    await nameStores(manager, decided);
    await closeUnopened(manager, decided);
    return { changes: await followUp(manager, ctx, decided), deliveries: written };
  });
  await enqueueNew(ctx, deliveries);
  for (const [invoiceId, { moves }] of changes)
    for (const move of moves) ctx.log.info({ invoiceId, ...detailsOf(move) }, "invoice changed");
  return changes;
}

async function writeHistory(
  manager: EntityManager,
  decided: readonly Decided[],
  at: Date,
  byHand: HandMark | null,
): Promise<void> {
  const lines = decided.flatMap(({ invoice, moves }) =>
    moves.map((move) => ({
      invoiceId: invoice.id,
      at,
      kind: "status" as const,
      details: { ...detailsOf(move), ...(byHand?.note && isByHand(move) ? { note: byHand.note } : {}) },
    })),
  );
  if (lines.length > 0) await insertRows(manager, { into: InvoiceHistory, rows: lines });
}

async function writeStates(manager: EntityManager, decided: readonly Decided[]): Promise<void> {
  const rows = decided.flatMap(({ invoice, moves, facts, now, rails }) => {
    const decideAt = nextDecisionAt(facts, now, rails);
    const same = decideAt?.getTime() === invoice.decideAt?.getTime() && moves.length === 0;
    if (same && !receivedOther(invoice, facts)) return [];
    const { status, additionalStatus, markedByHand } = facts;
    return [
      [invoice.id, status, additionalStatus, markedByHand, paidSats(facts), confirmedSats(facts), decideAt],
    ];
  });
  if (rows.length === 0) return;
  await manager.query(
    `UPDATE invoices
        SET status = decided.status, additional_status = decided.additional_status,
            marked_by_hand = decided.marked_by_hand, paid_sats = decided.paid_sats,
            confirmed_sats = decided.confirmed_sats, decide_at = decided.decide_at
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::timestamptz[])
         AS decided (id, status, additional_status, marked_by_hand, paid_sats, confirmed_sats, decide_at)
      WHERE invoices.id = decided.id`,
    Array.from({ length: 7 }, (_, at) => rows.map((row) => row[at])),
  );
}

async function noteMark(
  manager: EntityManager,
  ctx: CommandContext,
  invoices: readonly LockedInvoice[],
  { to, note }: HandMark,
): Promise<void> {
  for (const { id, storeId } of invoices) {
    await manager.update(Invoice, id, { markNote: note });
    await writeAudit(manager, ctx, {
      action: "invoice.marked",
      storeId,
      subject: id,
      details: { status: to },
    });
  }
}

/** Whom a decision concerns beside the merchant: the operator, the Lightning node, and who looks at the page. */
async function followUp(
  manager: EntityManager,
  ctx: CommandContext,
  decided: readonly Decided[],
): Promise<Map<string, InvoiceChange>> {
  const changes = new Map<string, InvoiceChange>();
  const news: Change[] = [];
  for (const standing of decided) {
    const { invoice, facts, moves, lightning } = standing;
    await alertInvoice(manager, ctx, standing);
    const bolt11s = lightning && (await planBolt11s(manager, ctx, lightning, standing));
    if (bolt11s?.shown || moves.length > 0 || receivedOther(invoice, facts))
      news.push({ topic: "invoices", storeId: invoice.storeId, invoiceId: invoice.id });
    changes.set(invoice.id, { moves, asksLightning: bolt11s?.asksLightning ?? false });
  }
  await tellChanges(manager, news);
  return changes;
}

/** Than was written. A mark by hand may stand before the money does, and change nothing but this when it comes. */
function receivedOther(before: LockedInvoice, facts: InvoiceFacts): boolean {
  return paidSats(facts) !== before.paidSats || confirmedSats(facts) !== before.confirmedSats;
}

/** An address that nobody asked for in time is never given. */
async function closeUnopened(manager: EntityManager, decided: readonly Decided[]): Promise<void> {
  const unopened = decided.filter(
    ({ facts, methods }) =>
      facts.status !== "New" && methods.some(({ reason }) => reason === "not-activated"),
  );
  if (unopened.length === 0) return;
  const invoiceId = In(unopened.map(({ invoice }) => invoice.id));
  await manager.update(
    InvoicePaymentMethod,
    { invoiceId, reason: "not-activated" },
    { reason: "no-longer-payable" },
  );
}

/** Payments come without their store: what a store received is found by it. */
async function nameStores(manager: EntityManager, decided: readonly Decided[]): Promise<void> {
  const nameless = decided.filter(({ payments }) => payments.some(({ storeId }) => storeId === null));
  for (const { invoice } of nameless)
    await manager.update(Payment, { invoiceId: invoice.id, storeId: IsNull() }, { storeId: invoice.storeId });
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
  if (!invoice) throw notFound();
  return invoice;
}

function notFound(): DomainError {
  return new DomainError("invoice-not-found", "There is no such invoice.");
}
