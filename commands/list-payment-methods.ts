import type { EntityManager } from "typeorm";
import type { ScriptType } from "../domain/chain/script-type";
import { parseExtendedKey } from "../domain/chain/extended-key";
import { DomainError } from "../domain/errors";
import type { PaymentMethodType } from "../domain/invoice/status";
import { Derivation } from "../entities/derivation";
import { StorePaymentMethod } from "../entities/store-payment-method";
import type { CommandContext } from "./context";
import { readWalletUse, type WalletUse } from "./wallet-use";

/** What a wallet shows of itself. The key stays inside: with it all of the merchant's addresses could be told. */
export interface WalletView {
  scriptType: ScriptType;
  /** The account key's own BIP 32 fingerprint, 8 hex digits. */
  fingerprint: string;
  /** Index of the address that comes next. Stores with one key share it. */
  nextIndex: number;
}

/** A way to be paid that a store offers. */
export interface PaymentMethodView {
  type: PaymentMethodType;
  createdAt: Date;
  /** Null for Lightning, whose node is the server's. */
  wallet: WalletView | null;
  /** How much of the wallet was paid. */
  use: Omit<WalletUse, "derivationId"> | null;
}

/** A store's payment methods, by type. */
export async function listPaymentMethods(ctx: CommandContext, storeId: string): Promise<PaymentMethodView[]> {
  const { manager } = ctx.db;
  const methods = await manager.find(StorePaymentMethod, { where: { storeId }, order: { type: "ASC" } });
  return Promise.all(methods.map((method) => viewOf(manager, ctx, method)));
}

/** @throws DomainError `payment-method-not-found`. */
export async function readPaymentMethod(
  ctx: CommandContext,
  storeId: string,
  type: PaymentMethodType,
  manager: EntityManager = ctx.db.manager,
): Promise<PaymentMethodView> {
  const method = await manager.findOneBy(StorePaymentMethod, { storeId, type });
  if (method === null) throw paymentMethodNotFound(type);
  return viewOf(manager, ctx, method);
}

export function paymentMethodNotFound(type: PaymentMethodType): DomainError {
  return new DomainError("payment-method-not-found", `${type} is not set up here.`);
}

const NEVER_USED = { highestPaidIndex: null, unpaidInARow: 0 };

async function viewOf(
  manager: EntityManager,
  ctx: CommandContext,
  { type, createdAt, derivationId }: StorePaymentMethod,
): Promise<PaymentMethodView> {
  if (derivationId === null) return { type, createdAt, wallet: null, use: null };
  const { xpub, scriptType, nextIndex } = await manager.findOneByOrFail(Derivation, { id: derivationId });
  const { fingerprint } = parseExtendedKey(xpub, ctx.settings.network, "/xpub");
  const [{ highestPaidIndex, unpaidInARow } = NEVER_USED] = await readWalletUse(manager, { derivationId });
  return {
    type,
    createdAt,
    wallet: { scriptType, fingerprint, nextIndex },
    use: { highestPaidIndex, unpaidInARow },
  };
}
