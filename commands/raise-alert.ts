import type { EntityManager } from "typeorm";
import { IsNull } from "typeorm";
import { Alert, type AlertKind, type AlertSeverity } from "../entities/alert";
import type { CommandContext } from "./context";

export interface AlertText {
  kind: AlertKind;
  severity: AlertSeverity;
  /** What it is about (an invoice id, a rail): while an alert of this kind and subject is open, it is not raised again. */
  subject: string;
  storeId?: string;
  invoiceId?: string;
  /** Plain words for a person at night, without hosts or secrets. */
  message: string;
}

/** Writes an operator alert in the caller's transaction; telling it is the sweep's work. */
export async function raiseAlert(
  manager: EntityManager,
  ctx: CommandContext,
  alert: AlertText,
): Promise<void> {
  await manager
    .createQueryBuilder()
    .insert()
    .into(Alert)
    .values({ ...alert, id: ctx.newId("alr"), at: await ctx.now(manager) })
    .orIgnore()
    .execute();
}

/** Closes the open alert of this kind and subject, where there is one. */
export async function resolveAlert(
  manager: EntityManager,
  ctx: CommandContext,
  kind: AlertKind,
  subject: string,
): Promise<void> {
  await manager.update(
    Alert,
    { kind, subject, resolvedAt: IsNull() },
    { resolvedAt: await ctx.now(manager) },
  );
}
