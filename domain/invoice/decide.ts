import { DomainError } from "../errors";
import { markEvent, systemEvent } from "./emission";
import type { EmittedEvent, InvoiceFacts, SyncFacts } from "./facts";
import { expiryMayBeDecided, firstRow, monitoringEnd } from "./rows";
import type { AdditionalStatus, InvoiceStatus, Mark } from "./status";
import { sumsOf } from "./sums";

/** One step of an invoice's life: the state after it and the event that goes out with it. */
export interface Move {
  /** Row of the state table in docs/invoice-lifecycle.md. */
  row: number;
  status: InvoiceStatus;
  additionalStatus: AdditionalStatus;
  markedByHand: Mark | null;
  /** Null without an event: row 6, or it was published before. */
  event: EmittedEvent | null;
  /** For the history, in plain words. */
  reason: string;
}

/** How long the end of monitoring that waits for a network sleeps before it is decided again. */
const MONITORING_HELD_RETRY_MS = 30_000;

/** Row 1. */
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

/** One step of the state table; null when the invoice does not change. */
export function decide(facts: InvoiceFacts, now: Date, sync: SyncFacts): Move | null {
  const step = firstRow(facts, now, sync);
  if (step === null) return null;
  const event = step.row === 6 ? null : systemEvent(facts, step.status, step.additionalStatus);
  return { ...step, markedByHand: facts.markedByHand, event };
}

/** Decides again until nothing changes: all moves in order, and the facts after the last. */
export function settleDown(
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

/** The facts once a move has been written down. */
export function after(facts: InvoiceFacts, move: Move): InvoiceFacts {
  const { status, additionalStatus, markedByHand, event } = move;
  const emitted = event === null ? facts.emitted : [...facts.emitted, event];
  return { ...facts, status, additionalStatus, markedByHand, emitted };
}

/**
 * Rows 13 and 14: a mark by hand. An invoice that the system made Invalid may be marked Invalid: the mark is kept, so
 * that only another mark changes it, and no event goes out.
 * @throws DomainError `invalid-transition` when the invoice already has that mark, or is Settled without one.
 */
export function mark(facts: InvoiceFacts, to: Mark): Move {
  const confirmsSystem = to === "Invalid" && facts.status === "Invalid" && facts.markedByHand === null;
  if (facts.status === to && !confirmsSystem)
    throw new DomainError("invalid-transition", `The invoice is already ${to}.`);
  return {
    row: to === "Settled" ? 13 : 14,
    status: to,
    additionalStatus: "None",
    markedByHand: to,
    event: confirmsSystem ? null : markEvent(facts, to),
    reason: `Marked ${to} by hand.`,
  };
}

/** True while the expiry is due but waits for a network to be checked past it. */
export function expiryHeld(facts: InvoiceFacts, now: Date, sync: SyncFacts): boolean {
  return (
    facts.status === "New" &&
    now >= facts.expiresAt &&
    sumsOf(facts).paidInTime < facts.minDueSats &&
    !expiryMayBeDecided(facts, now, sync)
  );
}

/**
 * When the clock alone may move the invoice next; null when only a payment or a hand can. `now` when a decision is
 * due at once. Of an expiry that is held, the end of the longest hold: what may end it sooner is not known to the clock.
 */
export function nextDecisionAt(facts: InvoiceFacts, now: Date, sync: SyncFacts): Date | null {
  if (decide(facts, now, sync) !== null) return now;
  switch (facts.status) {
    case "New":
      if (now < facts.expiresAt) return facts.expiresAt;
      return sync.holdExpiryUntil;
    case "Processing": {
      const end = monitoringEnd(facts);
      if (now < end) return end;
      // Blocks hold the whole price: nothing is left for the clock to end.
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
