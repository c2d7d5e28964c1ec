import { isPayable } from "./is-payable";
import type { AdditionalStatus, InvoiceStatus } from "./status";

/**
 * `checking`: the nodes are checked once more; `accepted`: marked as paid by hand; `lateSeen`: paid late, waiting for
 * confirmations.
 */
export const PHASES = [
  "waiting",
  "partial",
  "checking",
  "seen",
  "paid",
  "accepted",
  "overpaid",
  "paidLate",
  "expired",
  "underpaid",
  "lateSeen",
  "invalid",
] as const;
export type Phase = (typeof PHASES)[number];

/** Amounts in sats. */
interface Facts {
  status: InvoiceStatus;
  additionalStatus: AdditionalStatus;
  paidSats: bigint;
  minDueSats: bigint;
  confirmedSats: bigint;
  expiresAt: Date;
}

/** The page shows what the webhooks reported, and decides nothing. */
export function phaseOf(invoice: Facts, now: Date): Phase {
  const { status, paidSats, minDueSats } = invoice;
  switch (status) {
    case "New":
      if (!isPayable(invoice, now) || paidSats >= minDueSats) return "checking";
      return paidSats > 0n ? "partial" : "waiting";
    case "Processing":
      return paidSats < minDueSats ? "checking" : "seen";
    case "Settled":
      return settledPhase(invoice);
    case "Expired":
      if (paidSats >= minDueSats) return "lateSeen";
      return paidSats > 0n ? "underpaid" : "expired";
    case "Invalid":
      return "invalid";
  }
}

function settledPhase({ additionalStatus, confirmedSats, minDueSats }: Facts): Phase {
  switch (additionalStatus) {
    case "Overpaid":
      return "overpaid";
    case "PaidAfterExpiration":
      return "paidLate";
    case "None":
    case "Underpaid":
      return confirmedSats >= minDueSats ? "paid" : "accepted";
  }
}

export const isOpen = (phase: Phase): boolean => phase === "waiting" || phase === "partial";

/** No pending payment will change that. */
export const isLacking = (phase: Phase): boolean =>
  !isDone(phase) && phase !== "seen" && phase !== "lateSeen";

export const isDone = (phase: Phase): boolean =>
  phase === "paid" || phase === "accepted" || phase === "overpaid" || phase === "paidLate";

/** Paid, and each payment has its confirmations. */
export const isFinal = (phase: Phase, payments: readonly { confirmedAt: Date | null }[]): boolean =>
  isDone(phase) && payments.every(({ confirmedAt }) => confirmedAt !== null);
