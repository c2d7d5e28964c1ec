import type { AdditionalStatus, InvoiceStatus } from "./status";

export interface RefundFacts {
  status: InvoiceStatus;
  additionalStatus: AdditionalStatus;
  /** In sats, confirmed or not. */
  paidSats: bigint;
}

/** Too much, too late or too little was paid, or the invoice is not valid; not while it may still be settled. */
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
