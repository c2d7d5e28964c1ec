import type { InvoiceFacts } from "./facts";
import { counts, sumsOf } from "./sums";

export const REVIEW_REASONS = [
  "paid-late",
  "overpaid",
  "underpaid",
  "paid-invalid",
  "paid-archived",
] as const;
export type ReviewReason = (typeof REVIEW_REASONS)[number];

export const RESOLUTIONS = ["fulfilled", "refunded", "kept", "written-off"] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/** As the node last answered about a refund's transaction. `unchecked`: it did not, or the refund is by Lightning. */
export const REFUND_STATES = ["unchecked", "not-found", "unconfirmed", "confirmed"] as const;
export type RefundState = (typeof REFUND_STATES)[number];

/** Why the invoice, as it stands, waits for a person; null: it does not. */
export function reviewReason(facts: InvoiceFacts, archivedAt: Date | null): ReviewReason | null {
  const { paid, confirmed } = sumsOf(facts);
  if (paid === 0n) return null;
  switch (facts.status) {
    case "New":
    case "Processing":
      return null;
    case "Settled":
      if (facts.additionalStatus === "PaidAfterExpiration") return "paid-late";
      if (confirmed > facts.dueSats) return "overpaid";
      return archivedAt !== null && lastPaidAt(facts) > archivedAt ? "paid-archived" : null;
    case "Expired":
      return facts.additionalStatus === "Underpaid" || (confirmed > 0n && paid < facts.minDueSats)
        ? "underpaid"
        : null;
    case "Invalid":
      return confirmed > 0n ? "paid-invalid" : null;
  }
}

/** When the newest payment that counts was first seen. */
export function lastPaidAt({ payments }: Pick<InvoiceFacts, "payments">): Date {
  return new Date(
    payments.filter(counts).reduce((latest, { firstSeenAt }) => Math.max(latest, firstSeenAt.getTime()), 0),
  );
}

const SUGGESTIONS: Readonly<Record<ReviewReason, string>> = {
  "paid-late":
    "The price was paid after the invoice had expired. If you still can deliver at this price, fulfil the order; otherwise refund it.",
  overpaid: "The order is paid and can be fulfilled. Refund the excess, or keep it if the customer agrees.",
  underpaid:
    "Do not fulfil the order yet. Ask the customer for the rest with a new invoice, or refund what came.",
  "paid-invalid": "The invoice is Invalid, but money came. Find out why, then fulfil the order or refund it.",
  "paid-archived":
    "The invoice was archived before it was paid. Fulfil the order if you still can; otherwise refund it.",
};

export const suggestionOf = (reason: ReviewReason): string => SUGGESTIONS[reason];
