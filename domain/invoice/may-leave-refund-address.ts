import type { AdditionalStatus, InvoiceStatus } from "./status";

export interface RefundFacts {
  status: InvoiceStatus;
  additionalStatus: AdditionalStatus;
  /** What was received and counts, confirmed or not. */
  paidSats: bigint;
}

/**
 * Whether a refund may be due, so that the customer can leave an address for it: too much, too late or too little
 * was paid, or the invoice is not valid. Not while the invoice may still be settled.
 */
export function mayLeaveRefundAddress({ status, additionalStatus, paidSats }: RefundFacts): boolean {
  switch (status) {
    case "New":
    case "Processing":
      return false;
    case "Settled":
      return additionalStatus === "Overpaid" || additionalStatus === "PaidAfterExpiration";
    case "Expired":
    case "Invalid":
      return paidSats > 0n;
  }
}
