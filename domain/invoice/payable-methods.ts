import { walletDustLimitSats } from "../chain/dust";
import { DomainError, invalidField, WalletNotAuthenticError } from "../errors";
import type { ScriptType } from "../wallet/script-type";
import type { PaymentMethodType } from "./status";

/** BITCOIND_RPC_URL is not set; the operator may have lost it from the environment. */
export const WITHOUT_BITCOIN_NODE =
  "This server has no Bitcoin node, so on-chain payments would not be seen.";

export interface OfferedMethod<Wallet extends { scriptType: ScriptType } = { scriptType: ScriptType }> {
  type: PaymentMethodType;
  /** For BTC-CHAIN; null if not authentic: no address may be derived from it. */
  wallet: Wallet | null;
}

export const isNotAuthentic = ({ type, wallet }: OfferedMethod): boolean =>
  type === "BTC-CHAIN" && wallet === null;

interface PayableMethods<Wallet> {
  wallet: Wallet | null;
  lightning: boolean;
}

/**
 * Undefined: all of the store's. A lenient request gets what the store offers of them.
 * @throws DomainError `validation-failed` at `/paymentMethods` where that leaves none.
 */
export function wantedMethods(
  methods: readonly OfferedMethod[],
  {
    paymentMethods: wanted,
    lenient = false,
  }: { paymentMethods?: readonly PaymentMethodType[]; lenient?: boolean },
): readonly PaymentMethodType[] | undefined {
  if (wanted === undefined || !lenient) return wanted;
  const offered = wanted.filter((type) => methods.some((method) => method.type === type));
  if (offered.length === 0)
    throw invalidField("/paymentMethods", `This store does not offer ${wanted.join(" or ")}.`);
  return offered;
}

/**
 * The methods that were wanted and can take the price: a due below dust leaves on-chain out, as do a missing
 * node (`nodes`) and a wallet that is not authentic.
 * @throws DomainError `validation-failed` at the field that leaves nothing; `payment-method-unavailable`
 * without the nodes or an authentic wallet.
 */
export function payableMethods<Wallet extends { scriptType: ScriptType }>(
  methods: readonly OfferedMethod<Wallet>[],
  due: bigint,
  wanted: readonly PaymentMethodType[] | undefined,
  nodes: { bitcoin: boolean; lightning: boolean },
): PayableMethods<Wallet> {
  const missing = wanted?.find((type) => !methods.some((method) => method.type === type));
  if (missing) throw invalidField("/paymentMethods", `This store does not offer ${missing}.`);
  const chosen = methods.filter(({ type }) => wanted?.includes(type) ?? true);
  const byLightning = chosen.some(({ type }) => type === "BTC-LN");
  const lightning = byLightning && nodes.lightning;
  const ofStore = chosen.find(({ type }) => type === "BTC-CHAIN")?.wallet;
  const wallet = nodes.bitcoin ? ofStore : null; // an address that would not be watched is never allocated
  if (wallet) {
    const dust = walletDustLimitSats(wallet.scriptType);
    if (due >= dust) return { wallet, lightning };
    if (!byLightning)
      throw invalidField(
        "/amount",
        `The price is ${due} sats. An on-chain payment below ${dust} sats is dust that nodes do not relay, and ${wanted ? "no other payment method was asked for" : "the store has no other payment method"}.`,
      );
  }
  if (lightning) return { wallet: null, lightning };
  if (chosen.some(isNotAuthentic)) throw new WalletNotAuthenticError();
  if (byLightning)
    throw new DomainError("payment-method-unavailable", "This server has no Lightning node now.");
  if (ofStore) throw new DomainError("payment-method-unavailable", WITHOUT_BITCOIN_NODE);
  throw invalidField(
    "/paymentMethods",
    "This store has no payment method for the invoice: first set up a wallet for BTC-CHAIN, or connect a Lightning node.",
  );
}
