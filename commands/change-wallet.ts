import type { EntityManager } from "typeorm";
import { parseAccountKey, type AccountKeyInput } from "../domain/chain/account-key";
import type { ActorKind } from "../entities/audit-entry";
import { StorePaymentMethod } from "../entities/store-payment-method";
import { lockStore } from "./change-store";
import type { CommandContext } from "./context";
import { paymentMethodNotFound, readPaymentMethod, type PaymentMethodView } from "./list-payment-methods";
import { raiseAlert } from "./raise-alert";
import { setWallet } from "./set-wallet";
import { type AuditText, writeAudit } from "./write-audit";

/**
 * Sets where a store's on-chain payments go from the next invoice on. Open invoices keep their addresses; those that
 * wait for theirs take it from the new wallet. Whoever steals a key would do just this, so the owners are alerted at once.
 * @throws DomainError `validation-failed` at the field that is wrong (its text never holds the key); `store-not-found`.
 */
export async function changeWallet(
  ctx: CommandContext,
  storeId: string,
  { startIndex, ...input }: AccountKeyInput & { startIndex?: number | undefined },
): Promise<PaymentMethodView> {
  const key = parseAccountKey(input, ctx.settings.network);
  return ctx.db.transaction(async (manager) => {
    await lockStore(manager, storeId);
    const method = { storeId, type: "BTC-CHAIN" } as const;
    const before = await manager.findOneBy(StorePaymentMethod, method);
    const from = before && (await readPaymentMethod(ctx, storeId, "BTC-CHAIN", manager)).wallet;
    await setWallet(ctx, manager, storeId, { key, startIndex });
    const after = await manager.findOneByOrFail(StorePaymentMethod, method);
    const view = await readPaymentMethod(ctx, storeId, "BTC-CHAIN", manager);
    const audit: AuditText & { storeId: string } = {
      action: "wallet.changed",
      storeId,
      subject: storeId,
      details: { from, to: view.wallet },
    };
    if (before?.derivationId !== after.derivationId)
      await tell(manager, ctx, audit, "The wallet that on-chain payments go to was changed");
    else if (from?.nextIndex !== view.wallet?.nextIndex) await writeAudit(manager, ctx, audit);
    return view;
  });
}

/**
 * Takes a store's wallet away: no new invoice can be paid on-chain. Addresses that were given out stay watched, and a
 * key that comes back goes on where it stood.
 * @throws DomainError `store-not-found`, `payment-method-not-found`.
 */
export async function removeWallet(ctx: CommandContext, storeId: string): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    await lockStore(manager, storeId);
    const { wallet: from } = await readPaymentMethod(ctx, storeId, "BTC-CHAIN", manager);
    const { affected } = await manager.delete(StorePaymentMethod, { storeId, type: "BTC-CHAIN" });
    if (affected !== 1) throw paymentMethodNotFound("BTC-CHAIN");
    const audit = { action: "wallet.removed", storeId, subject: storeId, details: { from } } as const;
    await tell(manager, ctx, audit, "The wallet that on-chain payments go to was taken away");
  });
}

const BY: Record<ActorKind, string> = {
  key: "by an API key",
  user: "by a user",
  admin: "by the server's admin",
  cli: "on the command line",
  system: "by the service",
};

/** Every change is an alert of its own: one that nobody has read yet must not hide the next. */
async function tell(
  manager: EntityManager,
  ctx: CommandContext,
  audit: AuditText & { storeId: string },
  what: string,
): Promise<void> {
  const subject = await writeAudit(manager, ctx, audit);
  await raiseAlert(manager, ctx, {
    kind: "wallet-changed",
    severity: "critical",
    subject,
    storeId: audit.storeId,
    message: `${what}, ${BY[ctx.actor.kind]}. If that was none of you, delete the store's API keys and set the wallet again.`,
  });
}
