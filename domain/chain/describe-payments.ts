import type { OnchainPayment } from "./onchain-payment";

/** For people: the payments of one transaction to one invoice, as the subject of a sentence in the singular. */
export function describePayments(
  payments: readonly Pick<OnchainPayment, "id" | "txid" | "amountSats">[],
): string {
  const [payment] = payments;
  const total = payments.reduce((sum, { amountSats }) => sum + amountSats, 0n);
  return payments.length === 1 && payment
    ? `Payment ${payment.id} of ${total} sats`
    : `Transaction ${payment?.txid ?? ""} with ${payments.length} payments of ${total} sats together`;
}
