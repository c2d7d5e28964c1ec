import { paidSats, remainingSats } from "./amounts";
import type { InvoiceFacts } from "./facts";
import { isPayable } from "./is-payable";

/** A BOLT11 of an invoice that may still be paid, as far as is known. */
export interface OpenBolt11 {
  amountSats: bigint;
  cancelWanted: boolean;
}

/** The planned state of an invoice's BOLT11s. */
export interface LightningPlan<B extends OpenBolt11> {
  /** The one to be paid; null when there is none (yet). */
  keep: B | null;
  /** Those that must no longer be payable. */
  cancel: readonly B[];
  /** What a customer still has to pay by Lightning; null if nothing. It is issued when nothing is left in `cancel`. */
  wantedSats: bigint | null;
}

/** A BOLT11 issued later than this before the expiry could not be paid in time. */
const LATEST_ISSUE_MS = 3_000;

/**
 * Nobody should pay twice: a BOLT11 is for exactly what is missing, as seen on both networks, and only while the
 * invoice waits for it (docs/invoice-lifecycle.md). Pure: the caller issues and cancels.
 */
export function lightningPlan<B extends OpenBolt11>(
  facts: InvoiceFacts,
  open: readonly B[],
  now: Date,
): LightningPlan<B> {
  const remaining = remainingSats({ ...facts, paidSats: paidSats(facts) });
  const payableSats = isPayable(facts, now) && remaining > 0n ? remaining : null;
  const keep =
    open.find(({ amountSats, cancelWanted }) => !cancelWanted && amountSats === payableSats) ?? null;
  const tooLate = facts.expiresAt.getTime() - now.getTime() < LATEST_ISSUE_MS;
  return {
    keep,
    cancel: open.filter((bolt11) => bolt11 !== keep),
    wantedSats: keep === null && tooLate ? null : payableSats,
  };
}
