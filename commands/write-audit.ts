import type { EntityManager } from "typeorm";
import { AuditEntry } from "../entities/audit-entry";
import type { CommandContext } from "./context";

export type AuditAction =
  | "store.created"
  | "store.changed"
  | "wallet.changed"
  | "wallet.removed"
  | "wallet.skipped"
  | "api-key.created"
  | "api-key.deleted"
  | "webhook.created"
  | "webhook.changed"
  | "webhook.deleted"
  | "webhook.secret-rotated"
  | "delivery.retry-asked"
  | "invoice.marked"
  | "invoice.erased";

export interface AuditText {
  action: AuditAction;
  storeId: string;
  /** Id of what was changed. */
  subject: string;
  /** Plain JSON, without secrets and account keys. */
  details?: object;
}

/** Notes who made a change, in the transaction of the change: there is never one without the other. Answers the entry's id. */
export async function writeAudit(
  manager: EntityManager,
  ctx: CommandContext,
  { details = {}, ...text }: AuditText,
): Promise<string> {
  const id = ctx.newId("aud");
  const { kind: actorKind, id: actorId } = ctx.actor;
  await manager.insert(AuditEntry, { ...text, id, at: await ctx.now(manager), actorKind, actorId, details });
  return id;
}
