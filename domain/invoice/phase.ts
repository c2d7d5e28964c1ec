import { isPayable } from "./is-payable";
import type { AdditionalStatus, InvoiceStatus } from "./status";

/**
 * The phases that the checkout page distinguishes. `checking`: the time is up, or a payment was lost, and the nodes are
 * checked once more. `accepted`: the store marked it as paid by hand. `lateSeen`: all of it came after the expiry and
 * waits for confirmations.
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

/** As it is stored. Amounts in sats. */
interface Facts {
  status: InvoiceStatus;
  additionalStatus: AdditionalStatus;
  paidSats: bigint;
  minDueSats: bigint;
  confirmedSats: bigint;
  expiresAt: Date;
}

/** From the stored state: the page shows what the webhooks reported, and decides nothing. */
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

/** More is still to be paid. */
export const isOpen = (phase: Phase): boolean => phase === "waiting" || phase === "partial";

/** The store has not been paid, and no pending payment will change that. */
export const isLacking = (phase: Phase): boolean =>
  !isDone(phase) && phase !== "seen" && phase !== "lateSeen";

/** The store has been paid. */
export const isDone = (phase: Phase): boolean =>
  phase === "paid" || phase === "accepted" || phase === "overpaid" || phase === "paidLate";

/** Whether nothing can change any more: the store has been paid, and each of the payments has its confirmations. */
export const isFinal = (phase: Phase, payments: readonly { confirmedAt: Date | null }[]): boolean =>
  isDone(phase) && payments.every(({ confirmedAt }) => confirmedAt !== null);
