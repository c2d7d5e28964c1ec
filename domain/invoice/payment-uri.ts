import { askedOnchainSats } from "../chain/dust";
import { formatBtc } from "../money/money";
import type { PaymentMethodType } from "./status";

/**
 * BIP 21, with the BOLT11 beside the address, or `lightning:`; null with neither. An amount of 0 is omitted,
 * and one below dust raised.
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

export function uriOfMethods(
  methods: readonly { type: PaymentMethodType; destination: string | null }[],
  amountSats: bigint,
): string | null {
  const destination = (type: PaymentMethodType): string | null =>
    methods.find((method) => method.type === type)?.destination ?? null;
  return paymentUri({ address: destination("BTC-CHAIN"), amountSats, bolt11: destination("BTC-LN") });
}
