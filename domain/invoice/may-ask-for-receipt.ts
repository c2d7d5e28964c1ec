import type { InvoiceStatus } from "./status";

/** Whoever has the link may correct a mistake, and not mail many people. */
const ASKS_MAX = 5;

interface Facts {
  status: InvoiceStatus;
  /** In sats. */
  confirmedSats: bigint;
  minDueSats: bigint;
}

/** Not if it was only marked: each mail has cost a payment. */
export const isPaidInFull = ({ status, confirmedSats, minDueSats }: Facts): boolean =>
  status === "Settled" && confirmedSats >= minDueSats;

/** A receipt by mail; `before`: what was asked of this invoice. One is sent. */
export function mayAskForReceipt(
  invoice: Facts,
  before: { asks: number; sentAt: Date | null } | null,
): boolean {
  if (before !== null && (before.sentAt !== null || before.asks >= ASKS_MAX)) return false;
  return invoice.status === "New" || invoice.status === "Processing" || isPaidInFull(invoice);
}
