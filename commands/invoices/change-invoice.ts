import { type EntityManager, In } from "typeorm";
import { confirmedSats, paidSats } from "../../domain/invoice/sums";
import { type Move, nextDecisionAt } from "../../domain/invoice/decide";
import type { InvoiceFacts } from "../../domain/invoice/facts";
import { WITHOUT_ADDRESS } from "../../domain/invoice/method-reason";
import { isHeld } from "../../domain/invoice/state-table";
import { InvoiceHistory } from "../../entities/invoice-history";
import { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import type { CommandContext } from "../context";
import { circumstancesOf, type InvoiceDecision, decisionsOf, type HandMark, readFacts } from "./decisions";
import { insertRows, jsonRows } from "../../database/insert-rows";
import { isItemFailure } from "../../database/item-failure";
import { pipelined } from "../../database/pipelined";
import { checkChangesByHand } from "./edit-invoice";
import { invoiceNotFound } from "../../database/rows";
import { type LockedInvoice, lockDueInvoices, lockInvoices, writeDecided } from "./decision-queries";
import { markDue } from "./queries";
import { askReviews } from "../reviews/ask-reviews";
import { planBolt11s } from "../lightning/plan-bolt11s";
import { type Change, notifyChanges } from "../server/notify-changes";
import { writeAudit } from "../server/write-audit";
import { readSubscribers } from "../webhooks/queries";
import { writeEvents } from "../webhooks/write-event";
import { inSavepoint, inTransaction, type Tx } from "../transaction";

export interface InvoiceChange {
  moves: readonly Move[];
  /** See sync-lightning-invoices. */
  asksLightning: boolean;
}

interface DecidingOptions {
  /** First marks them. */
  byHand?: HandMark | null;
  /** Only what is due by then or held, and not locked by others. */
  dueBy?: Date | null;
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
 * Idempotent. Only this file writes `invoices.status`. Returns the changes by invoice id.
 */
export async function changeInvoices(
  ctx: CommandContext,
  invoiceIds: readonly string[],
  options: DecidingOptions = {},
): Promise<Map<string, InvoiceChange>> {
  return inTransaction(ctx, (tx) => applyDecisions(tx, invoiceIds, options));
}

export const askingLightning = (changes: ReadonlyMap<string, InvoiceChange>): string[] =>
  [...changes].filter(([, { asksLightning }]) => asksLightning).map(([invoiceId]) => invoiceId);

/** Their data is in memory, with up to 32 KiB of metadata each. */
const BATCH = 200;

/**
 * The last step of a transaction that recorded facts about locked invoices: all is committed together or not at all. An
 * invoice that cannot be decided prevents neither the others nor the commit.
 */
export async function decideInvoices(tx: Tx, invoiceIds: readonly string[]): Promise<void> {
  for (let at = 0; at < invoiceIds.length; at += BATCH)
    await decideBatch(tx, invoiceIds.slice(at, at + BATCH));
}

/** In a savepoint; if that fails, each invoice alone. */
async function decideBatch(tx: Tx, invoiceIds: readonly string[]): Promise<void> {
  try {
    const changes = await inSavepoint(tx, (within) => applyDecisions(within, invoiceIds));
    tx.after(askForDecisions, askingLightning(changes));
  } catch (error) {
    // The connection is gone with the transaction: report that error, not the one that follows.
    if (tx.manager.queryRunner?.isReleased === true) throw error;
    await markDue(tx.manager, invoiceIds, await tx.now());
    // Whatever delayed all, such as a lock, would delay each as long.
    if (invoiceIds.length > 1 && isItemFailure(error)) {
      for (const one of invoiceIds) await decideBatch(tx, [one]);
      return;
    }
    const [invoiceId] = invoiceIds;
    const fields = { err: error, invoiceId, invoices: invoiceIds.length };
    tx.after(({ log }) => log.error(fields, "invoice: decision failed, left to a job"), [invoiceId]);
    tx.after(askForDecisions, invoiceIds);
  }
}

/** They were not decided, or need the Lightning node. */
function askForDecisions(ctx: CommandContext, invoiceIds: readonly string[]): Promise<void> {
  return ctx.enqueue(
    "invoices",
    invoiceIds.map((invoiceId) => ({ invoiceId })),
  );
}

/** Locks and reads in one round trip: the reads are behind the lock on the connection. */
async function applyDecisions(
  tx: Tx,
  invoiceIds: readonly string[],
  { byHand = null, dueBy = null }: DecidingOptions = {},
): Promise<Map<string, InvoiceChange>> {
  const { manager } = tx;
  const [invoices, facts, { rows: subscribers }, now] = await pipelined(
    dueBy === null ? lockInvoices(manager, invoiceIds) : lockDueInvoices(manager, invoiceIds, dueBy),
    readFacts(manager, invoiceIds),
    readSubscribers(manager, invoiceIds),
    tx.now(),
  );
  const decided = decisionsOf(tx, invoices, facts, now, byHand);
  if (byHand) for (const { id } of invoices) await checkChangesByHand(tx.manager, id, "marks");
  const decidedEvents = decided.flatMap((standing) =>
    standing.moves
      .flatMap(({ event }) => event ?? [])
      .map((event) => ({
        invoice: standing.invoice,
        event,
        circumstances: () => circumstancesOf(tx, standing, event),
      })),
  );
  const [, changes] = await pipelined(
    closeUnopened(tx.manager, decided),
    followUp(tx, decided),
    writeEvents(tx, decidedEvents, subscribers),
    writeHistory(tx.manager, decided, now, byHand),
    writeStates(tx.manager, decided),
    askReviews(tx, decided.filter(isChanged), now),
  );
  if (byHand) await auditMarks(tx, invoices, byHand);
  return changes;
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

async function auditMarks(tx: Tx, invoices: readonly LockedInvoice[], { to }: HandMark): Promise<void> {
  for (const { id, storeId } of invoices)
    await writeAudit(tx, {
      action: "invoice.marked",
      storeId,
      subject: id,
      details: { status: to },
    });
}

/** The Lightning node, and open pages. */
async function followUp(tx: Tx, decided: readonly InvoiceDecision[]): Promise<Map<string, InvoiceChange>> {
  const changes = new Map<string, InvoiceChange>();
  const notified: Change[] = [];
  const planned = await planBolt11s(tx, decided);
  for (const standing of decided) {
    const { invoice, moves } = standing;
    const bolt11s = planned.get(invoice.id);
    if (bolt11s?.shown || isChanged(standing))
      notified.push({ topic: "invoices", storeId: invoice.storeId, invoiceId: invoice.id });
    changes.set(invoice.id, { moves, asksLightning: bolt11s?.asksLightning ?? false });
    tx.after(
      logMoves,
      moves.map((move) => ({ invoiceId: invoice.id, ...detailsOf(move) })),
    );
  }
  tx.after(notifyChanges, notified);
  return changes;
}

function logMoves({ log }: CommandContext, moves: readonly object[]): void {
  for (const move of moves) log.info({ ...move }, "invoice: changed");
}

const isChanged = ({ invoice, facts, moves }: InvoiceDecision): boolean =>
  moves.length > 0 || receivedOther(invoice, facts);

/** After a mark by hand a payment may change nothing else. */
function receivedOther(before: LockedInvoice, facts: InvoiceFacts): boolean {
  return paidSats(facts) !== before.paidSats || confirmedSats(facts) !== before.confirmedSats;
}

async function closeUnopened(manager: EntityManager, decided: readonly InvoiceDecision[]): Promise<void> {
  const unopened = decided.filter(
    ({ facts, methods }) =>
      facts.status !== "New" && methods.some(({ reason }) => WITHOUT_ADDRESS.some((one) => one === reason)),
  );
  if (unopened.length === 0) return;
  const invoiceId = In(unopened.map(({ invoice }) => invoice.id));
  await manager.update(
    InvoicePaymentMethod,
    { invoiceId, reason: In(WITHOUT_ADDRESS) },
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
