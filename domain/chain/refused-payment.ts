import { notAhead } from "../invoice/expiry-hold";
import type { RefusalMeaning } from "./node-refusal";
import { type OnchainPayment, isLive } from "./onchain-payment";

/** The node must have refused a transaction for this long before it counts as evicted. */
export const EVICTED_AFTER_MS = 10 * 60_000;
/** After this many blocks with missing inputs a payment that was confirmed once is given up. */
export const GIVEN_UP_AFTER_BLOCKS = 6;

/** The node's answer, without the transaction, to its broadcast. */
export interface Refusal {
  /** The database's clock. */
  now: Date;
  /** The height of the last processed block. */
  height: number;
  meaning: RefusalMeaning;
  /** A gap is open: the node, or we, may have missed what the payment depends on. */
  inGap: boolean;
  /** The invoice's monitoring has ended without its price. */
  monitoringEnded: boolean;
}

export interface RefusedPayment {
  /** unwanted: the node's own policy, so other nodes may have it. */
  kind: "missing" | "unwanted" | "evicted" | "given-up";
  payment: OnchainPayment;
}

/**
 * Decides about a payment that is in neither mempool nor chain: after ten minutes of refusal it is evicted. A
 * payment that was confirmed before is double-spent when its inputs have been missing for six blocks, though the
 * spending transaction is unknown: an ancestor that was not stored, or a transaction in a block that was never read.
 * While a gap is open a refusal says nothing of other nodes, and both counts restart after it. So does one by the
 * node's own policy, until the monitoring has ended.
 */
export function refusePayment(
  payment: OnchainPayment,
  { now, height, meaning, inGap, monitoringEnded }: Refusal,
): RefusedPayment {
  const inputsMissing =
    meaning === "inputs-missing" || (meaning === "ancestors-missing" && payment.confirmedAt !== null);
  const saysNothing = inGap || !(inputsMissing || meaning === "void" || monitoringEnded);
  if (saysNothing) {
    // That of a lost one stays: for so long it is offered to the node again.
    const missingSince = isLive(payment) ? now : payment.missingSince;
    const kind = inGap ? "missing" : "unwanted";
    return { kind, payment: { ...payment, missingSince, inputsMissingHeight: null } };
  }
  const missingSince = notAhead(payment.missingSince, now) ?? now;
  const inputsMissingHeight = inputsMissing ? (payment.inputsMissingHeight ?? height) : null;
  const after: OnchainPayment = { ...payment, missingSince, inputsMissingHeight };
  const givenUp =
    !payment.givenUp &&
    payment.confirmedAt !== null &&
    inputsMissingHeight !== null &&
    height - inputsMissingHeight >= GIVEN_UP_AFTER_BLOCKS;
  if (givenUp) return { kind: "given-up", payment: { ...after, state: "replaced", givenUp: true } };
  const evicted = isLive(payment) && now.getTime() - missingSince.getTime() >= EVICTED_AFTER_MS;
  return evicted
    ? { kind: "evicted", payment: { ...after, state: "evicted" } }
    : { kind: "missing", payment: after };
}
