import type { EmittedEvent, InvoiceFacts, LatestEvent } from "./facts";
import type { AdditionalStatus, EventType } from "./status";

/**
 * The event of a system move, or null if it was published already: a pair (type, additionalStatus) is published
 * once per invoice, except in the three cases below.
 */
export function systemEvent(
  facts: Pick<InvoiceFacts, "status" | "emitted">,
  type: EventType,
  additionalStatus: AdditionalStatus,
): EmittedEvent | null {
  const event = nextEvent(facts.emitted, type, additionalStatus, false);
  return event.round === 1 || maySayAgain(facts, type) ? event : null;
}

/** The event of a mark by hand: every mark is published. */
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

/** What was emitted, once another event has been. */
export function withEvent(emitted: readonly LatestEvent[], event: EmittedEvent): LatestEvent[] {
  return [...emitted.filter((one) => !isSameKind(one, event)), event];
}

function isSameKind(a: LatestEvent, b: LatestEvent): boolean {
  return a.type === b.type && a.additionalStatus === b.additionalStatus;
}

/**
 * `facts.status` is the state before the move. A New invoice that was Processing before went back to New; a Settled
 * invoice that was Invalid before was settled after that, and an Invalid one that was settled before became Invalid
 * after that. No other memory is needed.
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
