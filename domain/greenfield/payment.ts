import type { PaymentMethodType } from "../invoice/status";
import { countsByRow } from "../invoice/vanished";

export const GREENFIELD_PAYMENT_STATUSES = ["Processing", "Settled", "Invalid"] as const;
type GreenfieldPaymentStatus = (typeof GREENFIELD_PAYMENT_STATUSES)[number];

type PaymentRow = Parameters<typeof countsByRow>[0];

/** A payment that does not count is recorded, and pays nothing. */
export function greenfieldPaymentStatus(payment: PaymentRow): GreenfieldPaymentStatus {
  if (!countsByRow(payment)) return "Invalid";
  return payment.state === "confirmed" ? "Settled" : "Processing";
}

/** In sats. Not all of very many on-chain payments are read: on-chain is the invoice's sum less Lightning. */
export function paidByMethod(
  method: PaymentMethodType,
  invoicePaidSats: bigint,
  payments: readonly (PaymentRow & { type: PaymentMethodType; amountSats: bigint })[],
): bigint {
  const byLightning = payments
    .filter((payment) => payment.type === "BTC-LN" && countsByRow(payment))
    .reduce((sum, { amountSats }) => sum + amountSats, 0n);
  if (method === "BTC-LN") return byLightning;
  return invoicePaidSats > byLightning ? invoicePaidSats - byLightning : 0n;
}
