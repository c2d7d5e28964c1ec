import { PAYMENT_METHODS, type PaymentMethodType } from "../invoice/status";

/** Plugins' spellings, in lower case and with `-`. */
const IDS: ReadonlyMap<string, PaymentMethodType> = new Map([
  ...["btc", "btc-chain", "btc-onchain"].map((id) => [id, "BTC-CHAIN"] as const),
  ...["btc-ln", "btc-lightningnetwork", "btc-lightninglike", "btc-offchain"].map(
    (id) => [id, "BTC-LN"] as const,
  ),
]);

/** Each once; ids of other methods are left out. */
export function paymentMethodsOf(ids: readonly string[]): PaymentMethodType[] {
  const meant = ids.map((id) => IDS.get(id.toLowerCase().replaceAll("_", "-")));
  return PAYMENT_METHODS.filter((type) => meant.includes(type));
}
