import type { EmittedEvent, InvoiceFacts } from "./facts";
import type { AdditionalStatus, EventType } from "./status";

/**
 * The event of a system move, or null if it was published already: a pair (type, additionalStatus) is published
 * once per invoice, except in the two cases below.
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
  emitted: readonly EmittedEvent[],
  type: EventType,
  additionalStatus: AdditionalStatus,
  byHand: boolean,
): EmittedEvent {
  const earlier = emitted.filter(
    (event) => event.type === type && event.additionalStatus === additionalStatus,
  );
  return { type, additionalStatus, round: earlier.length + 1, byHand };
}

/**
 * `facts.status` is the state before the move. A New invoice that was Processing before went back to New; a Settled
 * invoice that was Invalid before was settled after that. No other memory is needed.
 */
function maySayAgain({ status }: Pick<InvoiceFacts, "status">, type: EventType): boolean {
  switch (type) {
    case "Processing":
      return status === "New";
    case "Invalid":
      return status === "Settled";
    case "New":
    case "Settled":
    case "Expired":
      return false;
  }
}
