import type { EntityManager } from "typeorm";
import { parseAccountKey, type AccountKeyInput } from "../../domain/wallet/account-key";
import { DomainError } from "../../domain/errors";
import { AuditEntry } from "../../entities/audit-entry";
import { Store } from "../../entities/store";
import { StorePaymentMethod } from "../../entities/store-payment-method";
import { lockStore } from "../../database/rows";
import type { CommandContext } from "../context";
import { isAuthentic, macOfRow } from "../server/authentic-rows";
import {
  paymentMethodNotFound,
  readPaymentMethod,
  type PaymentMethodView,
  type WalletView,
} from "./list-payment-methods";
import { alertingOwners } from "./alerting-owners";
import { setWallet } from "./set-wallet";
import { writeAudit } from "../server/write-audit";
import type { Reading } from "../transaction";

const TYPE = "BTC-CHAIN";
const AGAIN = "set the wallet again";

/**
 * From the next invoice on, and for open ones without an address. A thief of a key would do just this: an API key may
 * set a first wallet, and change it only if the owners allow that; they are alerted and mailed at once.
 * @throws DomainError `validation-failed` at the field that is wrong (its text never holds the key); `store-not-found`,
 * `wallet-in-use`, `dashboard-only`.
 */
export async function changeWallet(
  ctx: CommandContext,
  storeId: string,
  { startIndex, ...input }: AccountKeyInput & { startIndex?: number | undefined },
): Promise<PaymentMethodView> {
  const key = parseAccountKey(input, ctx.settings.network);
  return alertingOwners(ctx, AGAIN, async (tx, alert) => {
    const { manager } = tx;
    const store = await lockStore(manager, storeId);
    const method = { storeId, type: TYPE } as const;
    const before = await manager.findOneBy(StorePaymentMethod, method);
    const from = before && (await readPaymentMethod(tx, storeId, TYPE)).wallet;
    const moved = await setWallet(tx, storeId, { key, startIndex });
    const after = await manager.findOneByOrFail(StorePaymentMethod, method);
    const view = await readPaymentMethod(tx, storeId, TYPE);
    const { wallet: to } = view;
    const sameKey = before?.walletId === after.walletId && from?.fingerprint === to?.fingerprint;
    // Allocations move it meanwhile: a next index that differs was not moved by this request.
    if (sameKey && !moved) return view;
    // Last, so that invalid fields are reported first. Throwing undoes the change.
    if (before !== null || (await hadWallet(manager, storeId))) refuseWalletKey(tx, store);
    const audit = { action: "wallet.changed", storeId, subject: storeId, details: { from, to } } as const;
    const what = sameKey
      ? "The next address of the wallet that on-chain payments go to was moved"
      : "The wallet that on-chain payments go to was changed";
    await alert(audit, `${what}${fromTo(from, to)}`);
    return view;
  });
}

/**
 * Allocated addresses are still watched, and a key that is set again continues at its index.
 * @throws DomainError `store-not-found`, `payment-method-not-found`, `dashboard-only`.
 */
export async function removeWallet(ctx: CommandContext, storeId: string): Promise<void> {
  await alertingOwners(ctx, AGAIN, async (tx, alert) => {
    const store = await lockStore(tx.manager, storeId);
    const { wallet: from } = await readPaymentMethod(tx, storeId, TYPE);
    refuseWalletKey(tx, store);
    const { affected } = await tx.manager.delete(StorePaymentMethod, { storeId, type: TYPE });
    if (affected !== 1) throw paymentMethodNotFound(TYPE);
    const audit = { action: "wallet.removed", storeId, subject: storeId, details: { from } } as const;
    await alert(audit, `The wallet that on-chain payments go to was removed${fromTo(from, null)}`);
  });
}

/** To replace, move and remove it. @throws DomainError `store-not-found`, `dashboard-only`. */
export async function allowWalletChangesByKey(
  ctx: CommandContext,
  storeId: string,
  allowed: boolean,
): Promise<Store> {
  return alertingOwners(ctx, AGAIN, async (tx, alert) => {
    const store = await lockStore(tx.manager, storeId);
    if (ctx.actor.kind === "key") throw dashboardOnly();
    if (store.walletChangesByKey === allowed) return store;
    const mac = macOfRow(tx, Store, { id: storeId, walletChangesByKey: allowed });
    await tx.manager.update(Store, storeId, { walletChangesByKey: allowed, mac });
    const details = { walletChangesByKey: [!allowed, allowed] };
    const audit = { action: "store.changed", storeId, subject: storeId, details } as const;
    if (allowed) await alert(audit, "From now on API keys may change the wallet");
    else await writeAudit(tx, audit);
    return { ...store, walletChangesByKey: allowed };
  });
}

/** A removed wallet counts as the store's first. */
function hadWallet(manager: EntityManager, storeId: string): Promise<boolean> {
  return manager.existsBy(AuditEntry, { storeId, action: "wallet.removed" });
}

/** To change where payments go. @throws DomainError `dashboard-only` */
export function refuseWalletKey(from: Reading, store: Store): void {
  const { actor, log } = from;
  const { id: storeId, walletChangesByKey } = store;
  if (actor.kind !== "key" || (walletChangesByKey && isAuthentic(from, Store, store))) return;
  log.warn({ storeId, keyId: actor.id }, "wallet: change by API key refused");
  throw dashboardOnly();
}

function dashboardOnly(): DomainError {
  return new DomainError(
    "dashboard-only",
    "API keys cannot change this store's wallet. An owner can change it in the dashboard, or allow API keys to change it there (walletChangesByKey).",
  );
}

function fromTo(from: WalletView | null, to: WalletView | null): string {
  return `, from ${nameOf(from)} to ${nameOf(to)}`;
}

function nameOf(wallet: WalletView | null): string {
  if (wallet === null) return "none";
  const { fingerprint, scriptType, nextIndex } = wallet;
  return `${fingerprint ?? "one that was not authentic"} (${scriptType}, next index ${nextIndex})`;
}
