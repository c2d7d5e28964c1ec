import { excessSats } from "../invoice/sums";
import { mayBeMarked } from "../invoice/decide";
import { type AdditionalStatus, type InvoiceStatus, type Mark, MARKS } from "../invoice/status";

export const GREENFIELD_STATUSES = ["New", "Processing", "Settled", "Expired", "Invalid"] as const;
export type GreenfieldStatus = (typeof GREENFIELD_STATUSES)[number];

export const GREENFIELD_ADDITIONAL_STATUSES = [
  "None",
  "PaidPartial",
  "PaidOver",
  "PaidLate",
  "Marked",
] as const;
type GreenfieldAdditionalStatus = (typeof GREENFIELD_ADDITIONAL_STATUSES)[number];

interface InvoiceState {
  status: InvoiceStatus;
  additionalStatus: AdditionalStatus;
  markedByHand: Mark | null;
  paidSats: bigint;
  dueSats: bigint;
}

interface GreenfieldState {
  status: GreenfieldStatus;
  additionalStatus: GreenfieldAdditionalStatus;
}

/** A late payment is `Expired` here: no plugin releases goods for it. */
export function greenfieldState(invoice: InvoiceState): GreenfieldState {
  const { status, additionalStatus, markedByHand, paidSats } = invoice;
  if (markedByHand === status) return { status, additionalStatus: "Marked" };
  switch (status) {
    case "New":
      return { status, additionalStatus: paidSats > 0n ? "PaidPartial" : "None" };
    case "Processing":
      return { status, additionalStatus: excessSats(invoice) > 0n ? "PaidOver" : "None" };
    case "Settled":
      if (additionalStatus === "PaidAfterExpiration")
        return { status: "Expired", additionalStatus: "PaidLate" };
      return { status, additionalStatus: additionalStatus === "Overpaid" ? "PaidOver" : "None" };
    case "Expired":
      return { status, additionalStatus: additionalStatus === "Underpaid" ? "PaidPartial" : "None" };
    case "Invalid":
      return { status, additionalStatus: "None" };
  }
}

/** Rows 13 and 14 of the state table. */
export function availableMarks(invoice: Pick<InvoiceState, "status" | "markedByHand">): Mark[] {
  return MARKS.filter((mark) => mayBeMarked(invoice, mark));
}

/** By the native status, and of the settled ones perhaps only some. */
export function nativeFilter(wanted: readonly GreenfieldStatus[]): {
  status: InvoiceStatus[];
  settledLate?: boolean;
} {
  const [settled, expired] = [wanted.includes("Settled"), wanted.includes("Expired")];
  const status = [...new Set<InvoiceStatus>([...wanted, ...(expired ? (["Settled"] as const) : [])])];
  return settled === expired ? { status } : { status, settledLate: expired };
}
