import type { EmittedEvent, InvoiceFacts, LatestEvent } from "./facts";
import type { AdditionalStatus, EventType } from "./status";

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
