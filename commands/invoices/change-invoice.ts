import { type EntityManager, In } from "typeorm";
import { confirmedSats, paidSats } from "../../domain/invoice/amounts";
import { type Move, nextDecisionAt } from "../../domain/invoice/decide";
import type { InvoiceFacts } from "../../domain/invoice/facts";
import { isHeld } from "../../domain/invoice/state-table";
import { Invoice } from "../../entities/invoice";
import { InvoiceHistory } from "../../entities/invoice-history";
import { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { alertInvoice } from "./alert-invoice";
import type { CommandContext } from "../context";
import { circumstancesOf, type InvoiceDecision, decisionsOf, type HandMark } from "./decisions";
import { insertRows, jsonRows } from "../../database/insert-rows";
import { pipelined } from "../../database/pipelined";
import {
  checkChangesByHand,
  invoiceNotFound,
  type LockedInvoice,
  lockDueInvoices,
  lockInvoices,
} from "./lock-invoices";
import { writeDecided } from "./decision-queries";
import { releaseDeliveries } from "../webhooks/release";
import { planBolt11s } from "../lightning/plan-bolt11s";
import { type Change, notifyChanges } from "../server/notify-changes";
import { writeAudit } from "../server/write-audit";
import { writeEvents } from "../webhooks/write-event";

export interface InvoiceChange {
  moves: readonly Move[];
  /** See sync-lightning-invoices. */
  asksLightning: boolean;
}

/**
 * `byHand` first marks it (rows 13 and 14).
 * @throws DomainError `invoice-not-found`; `invalid-transition` for the mark that it already has; `limit-reached`.
 */
export async function changeInvoice(
  ctx: CommandContext,
  invoiceId: string,
  byHand: HandMark | null = null,
): Promise<InvoiceChange> {
  const [changed] = (await changeInvoices(ctx, [invoiceId], { byHand })).values();
  if (changed === undefined) throw invoiceNotFound();
  return changed;
}

/**
 * In a transaction under the invoices' locks: states, events and deliveries are committed together or not at all.
 * Idempotent. Only this file writes `invoices.status`. `dueBy`: only what is due by then or held, and not locked by
 * others. Returns the changes by invoice id.
 */
export async function changeInvoices(
  ctx: CommandContext,
  invoiceIds: readonly string[],
  { byHand = null, dueBy = null }: { byHand?: HandMark | null; dueBy?: Date | null } = {},
): Promise<Map<string, InvoiceChange>> {
  const decision = await ctx.db.transaction(async (manager) => {
    const invoices =
      dueBy === null
        ? await lockInvoices(manager, invoiceIds)
        : await lockDueInvoices(manager, invoiceIds, dueBy);
    const now = await ctx.now(manager); // after the locks: an earlier decision has an earlier time
    return applyDecisions(manager, ctx, invoices, { now, byHand });
  });
  await followDecision(ctx, decision);
  return decision.changes;
}

export interface Decision {
  changes: Map<string, InvoiceChange>;
  /** With new deliveries. */
  webhookIds: Set<string>;
}

export const askingLightning = (changes: Decision["changes"]): string[] =>
  [...changes].filter(([, { asksLightning }]) => asksLightning).map(([invoiceId]) => invoiceId);

/** The caller's transaction has locked them. `now`: read after the locks. */
export async function applyDecisions(
  manager: EntityManager,
  ctx: CommandContext,
  invoices: readonly LockedInvoice[],
  { now, byHand = null }: { now: Date; byHand?: HandMark | null },
): Promise<Decision> {
  const decided = await decisionsOf(manager, ctx, invoices, now, byHand);
  if (byHand) for (const { id } of invoices) await checkChangesByHand(manager, id, "marks");
  const decidedEvents = decided.flatMap((standing) =>
    standing.moves
      .flatMap(({ event }) => event ?? [])
      .map((event) => ({
        invoice: standing.invoice,
        event,
        circumstances: () => circumstancesOf(manager, ctx, standing, event),
      })),
  );
  const [webhookIds] = await pipelined(
    writeEvents(manager, ctx, decidedEvents, now),
    writeHistory(manager, decided, now, byHand),
    writeStates(manager, decided),
  );
  if (byHand) await noteMark(manager, ctx, invoices, byHand);
  await closeUnopened(manager, decided);
  return { changes: await followUp(manager, ctx, decided), webhookIds };
}

/** Runs after the commit. If the process dies before it, the sweep finds the deliveries. */
export async function followDecision(ctx: CommandContext, { changes, webhookIds }: Decision): Promise<void> {
  if (webhookIds.size > 0) await releaseDeliveries(ctx, webhookIds);
  for (const [invoiceId, { moves }] of changes)
    for (const move of moves) ctx.log.info({ invoiceId, ...detailsOf(move) }, "invoice: changed");
}

async function writeHistory(
  manager: EntityManager,
  decided: readonly InvoiceDecision[],
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

async function writeStates(manager: EntityManager, decided: readonly InvoiceDecision[]): Promise<void> {
  const changed = decided.flatMap(({ invoice, moves, facts, now, sync }) => {
    const decideAt = nextDecisionAt(facts, now, sync);
    const expiryHeld = isHeld(facts, now, sync);
    const waitsAsBefore =
      decideAt?.getTime() === invoice.decideAt?.getTime() && expiryHeld === invoice.expiryHeld;
    if (waitsAsBefore && moves.length === 0 && !receivedOther(invoice, facts)) return [];
    const { status, additionalStatus, markedByHand } = facts;
    const sums = { paidSats: paidSats(facts), confirmedSats: confirmedSats(facts) };
    return [{ id: invoice.id, status, additionalStatus, markedByHand, ...sums, decideAt, expiryHeld }];
  });
  if (changed.length > 0) await writeDecided(manager, jsonRows(changed));
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

/** The operator, the Lightning node, and open pages. */
async function followUp(
  manager: EntityManager,
  ctx: CommandContext,
  decided: readonly InvoiceDecision[],
): Promise<Map<string, InvoiceChange>> {
  const changes = new Map<string, InvoiceChange>();
  const notified: Change[] = [];
  const planned = await planBolt11s(manager, ctx, decided);
  for (const standing of decided) {
    const { invoice, facts, moves } = standing;
    await alertInvoice(manager, ctx, standing);
    const bolt11s = planned.get(invoice.id);
    if (bolt11s?.shown || moves.length > 0 || receivedOther(invoice, facts))
      notified.push({ topic: "invoices", storeId: invoice.storeId, invoiceId: invoice.id });
    changes.set(invoice.id, { moves, asksLightning: bolt11s?.asksLightning ?? false });
  }
  await notifyChanges(manager, notified);
  return changes;
}

/** After a mark by hand a payment may change nothing else. */
function receivedOther(before: LockedInvoice, facts: InvoiceFacts): boolean {
  return paidSats(facts) !== before.paidSats || confirmedSats(facts) !== before.confirmedSats;
}

async function closeUnopened(manager: EntityManager, decided: readonly InvoiceDecision[]): Promise<void> {
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

/** Rows 13 and 14. */
function isByHand({ row }: Move): boolean {
  return row >= 13;
}

function detailsOf({ row, status, additionalStatus, reason }: Move): Omit<Move, "markedByHand" | "event"> {
  return { row, status, additionalStatus, reason };
}
