import { paidSats, remainingSats } from "./amounts";
import type { InvoiceFacts } from "./facts";

/** A BOLT11 of an invoice that may still be paid, as far as known. */
export interface OpenBolt11 {
  amountSats: bigint;
  cancelWanted: boolean;
}

/** What an invoice's BOLT11s should be. */
export interface LightningPlan<B extends OpenBolt11> {
  /** The one to be paid; null when there is none (yet). */
  keep: B | null;
  /** Those that must not be paid any more. */
  cancel: readonly B[];
  /** What a customer still has to pay by Lightning; null when nothing. Issued when nothing is left of `cancel`. */
  wantedSats: bigint | null;
}

/** Issued so late, nobody could pay it. */
const LATEST_ISSUE_MS = 3_000;

/**
 * Nobody shall pay twice: a BOLT11 stands for just what is missing, as seen on both networks, and only while the invoice
 * waits for it (docs/invoice-lifecycle.md). Pure: the caller issues and cancels.
 */
export function lightningPlan<B extends OpenBolt11>(
  facts: InvoiceFacts,
  open: readonly B[],
  now: Date,
): LightningPlan<B> {
  const remaining = remainingSats({ ...facts, paidSats: paidSats(facts) });
  const payableSats = facts.status === "New" && now < facts.expiresAt && remaining > 0n ? remaining : null;
  const keep =
    open.find(({ amountSats, cancelWanted }) => !cancelWanted && amountSats === payableSats) ?? null;
  const tooLate = facts.expiresAt.getTime() - now.getTime() < LATEST_ISSUE_MS;
  return {
    keep,
    cancel: open.filter((bolt11) => bolt11 !== keep),
    wantedSats: keep === null && tooLate ? null : payableSats,
  };
}
