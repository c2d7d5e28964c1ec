import { askedOnchainSats } from "../chain/dust";
import { formatBtc } from "../money/money";
import type { PaymentMethodType } from "./status";

/**
 * What a wallet opens: a BIP 21 URI, with the BOLT11 invoice beside the address if there is one, or a `lightning:`
 * URI without an address; null when the invoice has neither now. An amount of 0 is omitted, and one below dust raised.
 */
export function paymentUri(target: {
  address: string | null;
  amountSats: bigint;
  bolt11: string | null;
}): string | null {
  const { address, amountSats, bolt11 } = target;
  if (address === null) return bolt11 === null ? null : `lightning:${bolt11}`;
  const parameters = [
    ...(amountSats > 0n ? [`amount=${formatBtc(askedOnchainSats(address, amountSats))}`] : []),
    ...(bolt11 === null ? [] : [`lightning=${bolt11}`]),
  ];
  return parameters.length === 0 ? `bitcoin:${address}` : `bitcoin:${address}?${parameters.join("&")}`;
}

/** `paymentUri` of an invoice's payment methods, or of some of them. */
export function uriOfMethods(
  methods: readonly { type: PaymentMethodType; destination: string | null }[],
  amountSats: bigint,
): string | null {
  const destination = (type: PaymentMethodType): string | null =>
    methods.find((method) => method.type === type)?.destination ?? null;
  return paymentUri({ address: destination("BTC-CHAIN"), amountSats, bolt11: destination("BTC-LN") });
}
