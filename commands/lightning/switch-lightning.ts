import type { EntityManager } from "typeorm";
import { DomainError } from "../../domain/errors";
import { SERVER_NODE_ID } from "../../entities/lightning-node";
import { StorePaymentMethod } from "../../entities/store-payment-method";
import { lockStore } from "../stores/change-store";
import type { CommandContext } from "../context";
import { type PaymentMethodView, readPaymentMethod } from "../wallets/list-payment-methods";
import { endStoreWarning, warnNewStore } from "./lightning-capacity-alert";
import { writeAudit } from "../server/write-audit";
import { inTransaction } from "../transaction";
import { retireNode } from "./retire-node";

const TYPE = "BTC-LN";

/**
 * From the next invoice on. All stores' payments go to the operator's node, so only an admin may: the API checks users,
 * and this function keys.
 * @throws DomainError `admin-only` for an API key; `store-not-found`.
 */
export async function switchLightningOn(ctx: CommandContext, storeId: string): Promise<PaymentMethodView> {
  refuseKeys(ctx);
  return inTransaction(ctx, async (tx) => {
    await lockStore(tx.manager, storeId);
    await retireNode(tx, storeId);
    await offerLightning(tx.manager, ctx, storeId);
    return readPaymentMethod(tx, storeId, TYPE);
  });
}

/**
 * For new invoices. Those given out by the server's node can be paid until they expire; a store's own node is retired.
 * @throws DomainError `admin-only` for an API key; `store-not-found`.
 */
export async function switchLightningOff(ctx: CommandContext, storeId: string): Promise<void> {
  refuseKeys(ctx);
  await inTransaction(ctx, async (tx) => {
    const { manager } = tx;
    await lockStore(manager, storeId);
    await retireNode(tx, storeId);
    const { affected } = await manager.delete(StorePaymentMethod, { storeId, type: TYPE });
    if (affected === 1) await audit(manager, ctx, storeId, "lightning.switched-off");
    await endStoreWarning(manager, ctx, storeId);
  });
}

/** The caller's transaction holds the store's lock. */
export async function offerLightning(
  manager: EntityManager,
  ctx: CommandContext,
  storeId: string,
): Promise<void> {
  const method = { storeId, type: TYPE } as const;
  const before = await manager.findOneBy(StorePaymentMethod, method);
  if (before !== null && (before.lightningNodeId ?? SERVER_NODE_ID) === SERVER_NODE_ID) return;
  await manager.upsert(StorePaymentMethod, { ...method, lightningNodeId: SERVER_NODE_ID }, [
    "storeId",
    "type",
  ]);
  await audit(manager, ctx, storeId, "lightning.switched-on");
  await warnNewStore(manager, ctx, storeId, SERVER_NODE_ID);
}

function audit(
  manager: EntityManager,
  ctx: CommandContext,
  storeId: string,
  action: "lightning.switched-on" | "lightning.switched-off",
): Promise<string> {
  return writeAudit(manager, ctx, { action, storeId, subject: storeId });
}

function refuseKeys({ actor }: CommandContext): void {
  if (actor.kind === "key")
    throw new DomainError(
      "admin-only",
      "Lightning payments go to the server's own node. Only a server admin can switch them on or off for a store.",
    );
}
