import { walletDustLimitSats } from "../../domain/chain/dust";
import { DomainError, invalidField } from "../../domain/errors";
import type { PaymentMethodType } from "../../domain/invoice/status";
import type { CommandContext } from "../context";
import type { LightningPort } from "../ports";
import { type OpenedWallet, WalletNotAuthenticError } from "./wallet-link";

/** Of BITCOIND_RPC_URL, which the operator may have lost from the environment. */
export const WITHOUT_BITCOIN_NODE =
  "This server has no Bitcoin node, so on-chain payments would not be seen.";

export interface OfferedMethod {
  type: PaymentMethodType;
  /** Of BTC-CHAIN; null where it is not the one that was set, so that no address may be made of it. */
  wallet: OpenedWallet | null;
}

export const isNotAuthentic = ({ type, wallet }: OfferedMethod): boolean =>
  type === "BTC-CHAIN" && wallet === null;

/** The ways in which a new invoice can be paid: at least one. */
export interface PayableMethods {
  /** What its address comes from; null when it gets none. */
  wallet: OpenedWallet | null;
  /** The node that its BOLT11 comes from; null when it gets none. */
  lightning: LightningPort | null;
}

/**
 * Of the methods that the store offers, those that were wanted and can take such a price. A due below dust leaves the
 * on-chain method out, and so do a server without a Bitcoin node and a wallet that is not authentic.
 * @throws DomainError `validation-failed` at the field that leaves nothing; `payment-method-unavailable` when this
 * server runs without the nodes of those that were left, or the store's wallet is not authentic.
 */
export function payableMethods(
  ctx: CommandContext,
  methods: readonly OfferedMethod[],
  due: bigint,
  wanted: readonly PaymentMethodType[] | undefined,
): PayableMethods {
  const missing = wanted?.find((type) => !methods.some((method) => method.type === type));
  if (missing) throw invalidField("/paymentMethods", `This store does not offer ${missing}.`);
  const chosen = methods.filter(({ type }) => wanted?.includes(type) ?? true);
  const byLightning = chosen.some(({ type }) => type === "BTC-LN");
  const lightning = byLightning ? ctx.lightning : null;
  const ofStore = chosen.find(({ type }) => type === "BTC-CHAIN")?.wallet;
  const wallet = ctx.chain === null ? null : ofStore; // an address that is not watched is never given
  if (wallet) {
    const dust = walletDustLimitSats(wallet.scriptType);
    if (due >= dust) return { wallet, lightning };
    if (!byLightning)
      throw invalidField(
        "/amount",
        `The price is ${due} sats. An on-chain payment below ${dust} sats is dust that nodes do not relay, and ${wanted ? "no other payment method was asked for" : "the store has no other payment method"}.`,
      );
  }
  if (lightning !== null) return { wallet: null, lightning };
  if (chosen.some(isNotAuthentic)) throw new WalletNotAuthenticError();
  if (byLightning)
    throw new DomainError("payment-method-unavailable", "This server has no Lightning node now.");
  if (ofStore) throw new DomainError("payment-method-unavailable", WITHOUT_BITCOIN_NODE);
  throw invalidField(
    "/paymentMethods",
    "This store has no payment method for the invoice: set up a wallet for BTC-CHAIN first.",
  );
}
