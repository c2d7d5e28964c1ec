import { DomainError } from "../../domain/errors";
import { SERVER_NODE_ID } from "../../entities/lightning-node";
import { StorePaymentMethod } from "../../entities/store-payment-method";
import { isOperator } from "../server/is-operator";
import { lockStore } from "../../database/rows";
import type { CommandContext } from "../context";
import { type PaymentMethodView, readPaymentMethod } from "../wallets/list-payment-methods";
import { writeAudit } from "../server/write-audit";
import { inTransaction, reading, type Tx } from "../transaction";
import { retireNode } from "./retire-node";

const TYPE = "BTC-LN";

/**
 * From the next invoice on. All stores' payments go to the operator's node, so only an admin may.
 * @throws DomainError `admin-only`, also for an API key; `store-not-found`.
 */
export async function switchLightningOn(ctx: CommandContext, storeId: string): Promise<PaymentMethodView> {
  await refuseUnlessOperator(ctx);
  return inTransaction(ctx, async (tx) => {
    await lockStore(tx.manager, storeId);
    await retireNode(tx, storeId);
    await offerLightning(tx, storeId);
    return readPaymentMethod(tx, storeId, TYPE);
  });
}

/**
 * For new invoices. Those given out by the server's node can be paid until they expire; a store's own node is retired.
 * @throws DomainError `admin-only`, also for an API key; `store-not-found`.
 */
export async function switchLightningOff(ctx: CommandContext, storeId: string): Promise<void> {
  await refuseUnlessOperator(ctx);
  await inTransaction(ctx, async (tx) => {
    await lockStore(tx.manager, storeId);
    await retireNode(tx, storeId);
    const { affected } = await tx.manager.delete(StorePaymentMethod, { storeId, type: TYPE });
    if (affected === 1) await audit(tx, storeId, "lightning.switched-off");
  });
}

/** The caller's transaction holds the store's lock. */
export async function offerLightning(tx: Tx, storeId: string): Promise<void> {
  const method = { storeId, type: TYPE } as const;
  const before = await tx.manager.findOneBy(StorePaymentMethod, method);
  if (before?.lightningNodeId === SERVER_NODE_ID) return;
  await tx.manager.upsert(StorePaymentMethod, { ...method, lightningNodeId: SERVER_NODE_ID }, [
    "storeId",
    "type",
  ]);
  await audit(tx, storeId, "lightning.switched-on");
}

function audit(
  tx: Tx,
  storeId: string,
  action: "lightning.switched-on" | "lightning.switched-off",
): Promise<string> {
  return writeAudit(tx, { action, storeId, subject: storeId });
}

export async function refuseUnlessOperator(ctx: CommandContext): Promise<void> {
  if (!(await isOperator(reading(ctx))))
    throw new DomainError(
      "admin-only",
      "Lightning payments go to the server's own node. Only a server admin can switch them on or off for a store.",
    );
}
