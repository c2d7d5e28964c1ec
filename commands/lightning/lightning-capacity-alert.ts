import type { EntityManager } from "typeorm";
import { PaymentMethodSync } from "../../entities/payment-method-sync";
import { StorePaymentMethod } from "../../entities/store-payment-method";
import type { CommandContext } from "../context";
import { raiseAlert, resolveAlert, resolveAlertsExcept } from "../server/raise-alert";

const KIND = "cannot-receive";
const TYPE = "BTC-LN";
const NO_ROOM = "LND has no active channel with capacity to receive: nobody can pay by Lightning.";

/** The operator, and every store that offers Lightning. */
export async function alertCannotReceive(manager: EntityManager, ctx: CommandContext): Promise<void> {
  const alert = { kind: KIND, severity: "warning", subject: TYPE } as const;
  const message = `${NO_ROOM} Its channels have no inbound capacity, or their peers are offline.`;
  await raiseAlert(manager, ctx, { ...alert, message });
  for (const { storeId } of await manager.findBy(StorePaymentMethod, { type: TYPE }))
    await alertStore(manager, ctx, storeId);
}

export async function endCannotReceive(manager: EntityManager, ctx: CommandContext): Promise<void> {
  await resolveAlertsExcept(manager, ctx, KIND, []);
}

/** The node can receive nothing, as far as is known. */
export async function warnNewStore(
  manager: EntityManager,
  ctx: CommandContext,
  storeId: string,
): Promise<void> {
  const sync = await manager.findOneBy(PaymentMethodSync, { type: TYPE });
  if (sync?.receivableSats === 0n) await alertStore(manager, ctx, storeId);
}

export async function endStoreWarning(
  manager: EntityManager,
  ctx: CommandContext,
  storeId: string,
): Promise<void> {
  await resolveAlert(manager, ctx, KIND, subjectOf(storeId));
}

function alertStore(manager: EntityManager, ctx: CommandContext, storeId: string): Promise<void> {
  const message = `${NO_ROOM} Invoices of this store show exceeds-receivable; a server admin must add capacity.`;
  return raiseAlert(manager, ctx, {
    kind: KIND,
    severity: "warning",
    subject: subjectOf(storeId),
    storeId,
    message,
  });
}

function subjectOf(storeId: string): string {
  return `${TYPE} ${storeId}`;
}
