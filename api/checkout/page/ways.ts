import type { ShownMethod } from "../../../commands/wallets/read-destinations";
import { paymentUri } from "../../../domain/invoice/payment-uri";
import type { PaymentMethodType } from "../../../domain/invoice/status";

/** `any`: one code from which a wallet takes what it supports. */
export interface Way {
  kind: "any" | "onchain" | "lightning";
  address: string | null;
  bolt11: string | null;
  uri: string;
  /** In capitals if case does not matter: a coarser code is faster to scan. */
  qrText: string;
}

/** Available now, the way for any wallet first. */
export function waysToPay(methods: readonly ShownMethod[], amountSats: bigint): Way[] {
  const destination = (type: PaymentMethodType): string | null =>
    methods.find((method) => method.type === type && method.available)?.destination ?? null;
  const [address, bolt11] = [destination("BTC-CHAIN"), destination("BTC-LN")];
  return [
    address !== null && bolt11 !== null ? way("any", { address, bolt11, amountSats }) : null,
    address === null ? null : way("onchain", { address, bolt11: null, amountSats }),
    bolt11 === null ? null : way("lightning", { address: null, bolt11, amountSats }),
  ].filter((one) => one !== null);
}

interface Target {
  address: string | null;
  bolt11: string | null;
  amountSats: bigint;
}

function way(kind: Way["kind"], target: Target): Way {
  const { address, bolt11 } = target;
  const inCapitals = {
    ...target,
    address: address !== null && isBech32(address) ? address.toUpperCase() : address,
    bolt11: bolt11?.toUpperCase() ?? null,
  };
  // Either is available, so neither URI is null.
  return { kind, address, bolt11, uri: paymentUri(target) ?? "", qrText: paymentUri(inCapitals) ?? "" };
}

/** The case of base58 addresses (BIP 13) matters; that of bech32 (BIP 173, 350) does not. */
const isBech32 = (address: string): boolean => /^(bc|tb|bcrt)1/.test(address);
