import { remainingSats } from "./amounts";
import type { InvoiceFacts } from "./facts";

/** A BOLT11 of an invoice that may still be paid, as far as anybody knows. */
export interface OpenBolt11 {
  paymentHash: string;
  amountSats: bigint;
  expiresAt: Date;
  cancelWanted: boolean;
}

/** What an invoice's BOLT11s should be. */
export interface LightningPlan {
  /** Those that shall no longer be paid. */
  cancel: readonly OpenBolt11[];
  /** What a customer still has to pay by Lightning; null when nothing. To be issued once all of `cancel` are canceled. */
  wantedSats: bigint | null;
}

/**
 * Nobody shall pay twice: a BOLT11 stands for just what is missing, as seen on both rails, and only while the invoice
 * waits for it (product decisions, edge cases 6 and 14). Pure: the caller issues and cancels.
 */
export function lightningPlan(facts: InvoiceFacts, open: readonly OpenBolt11[], now: Date): LightningPlan {
  const remaining = remainingSats(facts);
  const wantedSats = facts.status === "New" && now < facts.expiresAt && remaining > 0n ? remaining : null;
  const kept = open.find(({ amountSats, cancelWanted }) => !cancelWanted && amountSats === wantedSats);
  return { cancel: open.filter((bolt11) => bolt11 !== kept), wantedSats };
}
