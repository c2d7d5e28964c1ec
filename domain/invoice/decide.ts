import { DomainError } from "../errors";
import type { EmittedEvent, InvoiceFacts, SyncFacts, LatestEvent } from "./facts";
import { firstRow, isHeld, monitoringEnd } from "./state-table";
import type { AdditionalStatus, InvoiceStatus, Mark, EventType } from "./status";
import { sumsOf } from "./sums";

export interface Move {
  /** Row of the state table in docs/invoice-lifecycle.md. */
  row: number;
  status: InvoiceStatus;
  additionalStatus: AdditionalStatus;
  markedByHand: Mark | null;
  /** Null without an event: row 6, or an event that was published before. */
  event: EmittedEvent | null;
  reason: string;
}

/** How long to wait before deciding again while the end of monitoring waits for a network. */
const MONITORING_HELD_RETRY_MS = 30_000;

export function created(): Move {
  return {
    row: 1,
    status: "New",
    additionalStatus: "None",
    markedByHand: null,
    event: systemEvent({ status: "New", emitted: [] }, "New", "None"),
    reason: "The invoice was created.",
  };
}

/** A step of the state table; null when the invoice does not change. */
export function decide(facts: InvoiceFacts, now: Date, sync: SyncFacts): Move | null {
  const step = firstRow(facts, now, sync);
  if (step === null) return null;
  const event = step.row === 6 ? null : systemEvent(facts, step.status, step.additionalStatus);
  return { ...step, markedByHand: facts.markedByHand, event };
}

/** All moves in order, and the facts after the last. */
export function decideUntilStable(
  facts: InvoiceFacts,
  now: Date,
  sync: SyncFacts,
): { moves: Move[]; facts: InvoiceFacts } {
  const moves: Move[] = [];
  let current = facts;
  for (let move = decide(current, now, sync); move !== null; move = decide(current, now, sync)) {
    moves.push(move);
    current = after(current, move);
  }
  return { moves, facts: current };
}

/** The facts once a move has been written. */
export function after(facts: InvoiceFacts, move: Move): InvoiceFacts {
  const { status, additionalStatus, markedByHand, event } = move;
  const emitted = event === null ? facts.emitted : withEvent(facts.emitted, event);
  return { ...facts, status, additionalStatus, markedByHand, emitted };
}

type Markable = Pick<InvoiceFacts, "status" | "markedByHand">;

/** An invoice that the system made Invalid may be marked so: the mark is stored, and no event is published. */
function confirmsSystem({ status, markedByHand }: Markable, to: Mark): boolean {
  return to === "Invalid" && status === "Invalid" && markedByHand === null;
}

/** Rows 13 and 14. */
export function mayBeMarked(invoice: Markable, to: Mark): boolean {
  return invoice.status !== to || confirmsSystem(invoice, to);
}

/**
 * Rows 13 and 14.
 * @throws DomainError `invalid-transition` if it has that mark, or is Settled without one.
 */
export function mark(facts: InvoiceFacts, to: Mark): Move {
  if (!mayBeMarked(facts, to)) throw new DomainError("invalid-transition", alreadyMarked(facts, to));
  return {
    row: to === "Settled" ? 13 : 14,
    status: to,
    additionalStatus: "None",
    markedByHand: to,
    event: confirmsSystem(facts, to) ? null : markEvent(facts, to),
    reason: `Marked ${to} by hand.`,
  };
}

function alreadyMarked({ additionalStatus }: InvoiceFacts, to: Mark): string {
  return to === "Settled" && additionalStatus === "PaidAfterExpiration"
    ? "The invoice was paid late and counts as Settled already. Complete the order in the shop."
    : `The invoice is already ${to}.`;
}

/**
 * When time alone may change the invoice; null when only a payment or a mark can. A held expiry: the end of
 * the longest hold.
 */
export function nextDecisionAt(facts: InvoiceFacts, now: Date, sync: SyncFacts): Date | null {
  if (decide(facts, now, sync) !== null) return now;
  switch (facts.status) {
    case "New":
      if (now < facts.expiresAt) return facts.expiresAt;
      return sync.holdExpiryUntil;
    case "Processing": {
      // After that a loss alone waits: when it is over, the sweep finds that it is held.
      if (isHeld(facts, now, sync)) return now < sync.holdExpiryUntil ? sync.holdExpiryUntil : null;
      const end = monitoringEnd(facts);
      if (now < end) return end;
      // Blocks contain the whole price: there is nothing that time could end.
      if (sumsOf(facts).secured >= facts.minDueSats) return null;
      return later(now, MONITORING_HELD_RETRY_MS);
    }
    case "Settled":
    case "Expired":
    case "Invalid":
      return null;
  }
}

function later(instant: Date, byMs: number): Date {
  return new Date(instant.getTime() + byMs);
}

/**
 * Null if it was published already: each (type, additionalStatus) once per invoice, except in the three cases below.
 */
export function systemEvent(
  facts: Pick<InvoiceFacts, "status" | "emitted">,
  type: EventType,
  additionalStatus: AdditionalStatus,
): EmittedEvent | null {
  const event = nextEvent(facts.emitted, type, additionalStatus, false);
  return event.round === 1 || maySayAgain(facts, type) ? event : null;
}

/** Every mark is published. */
export function markEvent(facts: Pick<InvoiceFacts, "emitted">, type: EventType): EmittedEvent {
  return nextEvent(facts.emitted, type, "None", true);
}

function nextEvent(
  emitted: readonly LatestEvent[],
  type: EventType,
  additionalStatus: AdditionalStatus,
  byHand: boolean,
): EmittedEvent {
  const event = { type, additionalStatus, round: 1, byHand };
  for (const { round } of emitted.filter((one) => isSameKind(one, event)))
    event.round = Math.max(event.round, round + 1);
  return event;
}

export function withEvent(emitted: readonly LatestEvent[], event: EmittedEvent): LatestEvent[] {
  return [...emitted.filter((one) => !isSameKind(one, event)), event];
}

function isSameKind(a: LatestEvent, b: LatestEvent): boolean {
  return a.type === b.type && a.additionalStatus === b.additionalStatus;
}

/**
 * By the state before the move: a New invoice that was Processing went back to New since, a Settled one that
 * was Invalid was settled since.
 */
function maySayAgain({ status }: Pick<InvoiceFacts, "status">, type: EventType): boolean {
  switch (type) {
    case "Processing":
      return status === "New";
    case "Invalid":
      return status === "Settled";
    case "Settled":
      return status === "Invalid";
    case "New":
    case "Expired":
      return false;
  }
}
