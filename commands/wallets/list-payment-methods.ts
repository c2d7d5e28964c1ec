import type { ScriptType } from "../../domain/wallet/script-type";
import { parseExtendedKey } from "../../domain/wallet/extended-key";
import { DomainError } from "../../domain/errors";
import type { PaymentMethodType } from "../../domain/invoice/status";
import { Wallet } from "../../entities/wallet";
import { StorePaymentMethod } from "../../entities/store-payment-method";
import { alertNotAuthentic } from "../server/alert-not-authentic";
import type { CommandContext } from "../context";
import { type NodeView, readNodeView } from "./read-node";
import type { WalletUse } from "./queries";
import { openWallet, readWalletLink } from "./wallet-link";
import { readWalletUse } from "./wallet-use";
import { type Reading, reading } from "../transaction";

/** Without the key, from which all of the merchant's addresses can be derived. */
export interface WalletView {
  scriptType: ScriptType;
  /** The account key's (BIP 32), 8 hex digits; null if not authentic. */
  fingerprint: string | null;
  /** Stores with the same key share it. */
  nextIndex: number;
}

export interface PaymentMethodView {
  type: PaymentMethodType;
  createdAt: Date;
  wallet: WalletView | null;
  use: Omit<WalletUse, "walletId"> | null;
  lightning: NodeView | null;
}

export async function listPaymentMethods(ctx: CommandContext, storeId: string): Promise<PaymentMethodView[]> {
  const from = reading(ctx);
  const methods = await from.manager.find(StorePaymentMethod, { where: { storeId }, order: { type: "ASC" } });
  const views = await Promise.all(methods.map((method) => viewOf(from, method)));
  if (views.some(isNotAuthentic)) await alertNotAuthentic(ctx, [{ storeId, what: "wallet" }]);
  return views;
}

const isNotAuthentic = ({ wallet }: PaymentMethodView): boolean => wallet?.fingerprint === null;

/** Raises an alert if it is not authentic. @throws DomainError `payment-method-not-found`. */
export async function showPaymentMethod(
  ctx: CommandContext,
  storeId: string,
  type: PaymentMethodType,
): Promise<PaymentMethodView> {
  const view = await readPaymentMethod(reading(ctx), storeId, type);
  if (isNotAuthentic(view)) await alertNotAuthentic(ctx, [{ storeId, what: "wallet" }]);
  return view;
}

/** @throws DomainError `payment-method-not-found`. */
export async function readPaymentMethod(
  from: Reading,
  storeId: string,
  type: PaymentMethodType,
): Promise<PaymentMethodView> {
  const method = await from.manager.findOneBy(StorePaymentMethod, { storeId, type });
  if (method === null) throw paymentMethodNotFound(type);
  return viewOf(from, method);
}

export function paymentMethodNotFound(type: PaymentMethodType): DomainError {
  return new DomainError("payment-method-not-found", `${type} is not set up in this store.`);
}

const NEVER_USED = { highestPaidIndex: null, unpaidInARow: 0 };

async function viewOf(
  from: Reading,
  { storeId, type, createdAt, walletId, lightningNodeId }: StorePaymentMethod,
): Promise<PaymentMethodView> {
  if (type === "BTC-LN") {
    const lightning = await readNodeView(from.manager, lightningNodeId);
    return { type, createdAt, wallet: null, use: null, lightning };
  }
  const found = walletId === null ? null : await from.manager.findOneBy(Wallet, { id: walletId });
  const { scriptType = "wpkh", nextIndex = 0 } = found ?? {};
  const link = await readWalletLink(from.manager, storeId);
  const wallet = link && openWallet(from.secrets, link);
  const fingerprint = wallet && parseExtendedKey(wallet.xpub, from.settings.network, "/xpub").fingerprint;
  const [{ highestPaidIndex, unpaidInARow } = NEVER_USED] = await readWalletUse(from.manager, {
    walletId: walletId ?? "",
  });
  return {
    type,
    createdAt,
    wallet: { scriptType, fingerprint, nextIndex },
    use: { highestPaidIndex, unpaidInARow },
    lightning: null,
  };
}
