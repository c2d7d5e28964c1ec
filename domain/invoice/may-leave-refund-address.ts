import type { AdditionalStatus, InvoiceStatus } from "./status";

export interface RefundFacts {
  status: InvoiceStatus;
  additionalStatus: AdditionalStatus;
  /** What came in and counts, confirmed or not. */
  paidSats: bigint;
}

/**
 * Whether money may have to go back to the customer, so that they can leave an address for it: it came too much, too
 * late, too little, or to an invoice that is not valid. Not while the invoice is still on its way.
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
