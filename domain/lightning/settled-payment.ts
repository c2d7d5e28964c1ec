export interface SettledBolt11 {
  /** Hex. */
  paymentHash: string;
  amountPaidMsat: bigint;
  /** By the clock of the node's host; null if not reported. */
  settledAt: Date | null;
  preimage: string | null;
}

/** LND settles a BOLT11 whole and finally: it is confirmed at once. */
export interface LightningPayment {
  /** The payment hash. */
  id: string;
  invoiceId: string;
  storeId: string;
  type: "BTC-LN";
  amountSats: bigint;
  state: "confirmed";
  neverCounts: false;
  firstSeenAt: Date;
  confirmedAt: Date;
  requiredConfirmations: 0;
  preimage: string | null;
}

/**
 * In whole sats. The BOLT11 expires with its invoice, so a payment settled after the expiry was on its way in
 * time; nor was it seen before the invoice was created. `now`: the database's clock.
 */
export function settledPayment(
  settled: SettledBolt11,
  invoice: { id: string; storeId: string; createdAt: Date; expiresAt: Date },
  now: Date,
): LightningPayment {
  const seenBy = [now, settled.settledAt ?? now, invoice.expiresAt].map((at) => at.getTime());
  return {
    id: settled.paymentHash,
    invoiceId: invoice.id,
    storeId: invoice.storeId,
    type: "BTC-LN",
    amountSats: settled.amountPaidMsat / 1_000n,
    state: "confirmed",
    neverCounts: false,
    firstSeenAt: new Date(Math.max(invoice.createdAt.getTime(), Math.min(...seenBy))),
    confirmedAt: now,
    requiredConfirmations: 0,
    preimage: settled.preimage,
  };
}
