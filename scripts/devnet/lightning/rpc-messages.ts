import type { StoredInvoice } from "./invoice-book";

/** A message as protobufjs gives it: 64-bit numbers are strings, bytes are Buffers. */
export type Fields = Readonly<Record<string, unknown>>;

export function toBuffer(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.alloc(0);
}

/** lnrpc.Invoice. */
export function toRpcInvoice(invoice: StoredInvoice): object {
  const paidMsat = BigInt(invoice.amountPaidMsat);
  return {
    memo: invoice.memo,
    r_preimage: Buffer.from(invoice.preimage, "hex"),
    r_hash: Buffer.from(invoice.paymentHash, "hex"),
    value: String(BigInt(invoice.valueMsat) / 1_000n),
    value_msat: invoice.valueMsat,
    settled: invoice.state === "SETTLED",
    creation_date: String(invoice.createdAt),
    settle_date: String(invoice.settledAt),
    payment_request: invoice.bolt11,
    description_hash: Buffer.from(invoice.descriptionHash, "hex"),
    expiry: String(invoice.expirySeconds),
    cltv_expiry: String(invoice.cltvExpiry),
    private: invoice.isPrivate,
    add_index: String(invoice.addIndex),
    settle_index: String(invoice.settleIndex),
    amt_paid: invoice.amountPaidMsat,
    amt_paid_sat: String(paidMsat / 1_000n),
    amt_paid_msat: invoice.amountPaidMsat,
    state: invoice.state,
    payment_addr: Buffer.from(invoice.paymentSecret, "hex"),
  };
}
