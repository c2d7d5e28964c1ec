import { AuditEntry } from "../../entities/audit-entry";
import type { Tx } from "../transaction";

export type AuditAction =
  | "store.created"
  | "store.changed"
  | "store.archived"
  | "store.unarchived"
  | "wallet.changed"
  | "wallet.removed"
  | "wallet.skipped"
  | "lightning.switched-on"
  | "lightning.switched-off"
  | "lightning.wait-ended"
  | "lightning.node-connected"
  | "lightning.node-removed"
  | "api-key.created"
  | "api-key.deleted"
  | "webhook.created"
  | "webhook.changed"
  | "webhook.deleted"
  | "webhook.secret-rotated"
  | "payment-link.created"
  | "payment-link.changed"
  | "payment-link.archived"
  | "payment-link.unarchived"
  | "payment-link.deleted"
  | "delivery.retry-asked"
  | "alert.resolved"
  | "chain.accepted"
  | "database.restored"
  | "invoice.marked"
  | "invoice.erased"
  | "review.resolved"
  | "user.created"
  | "user.changed"
  | "user.link-made"
  | "user.logged-in"
  | "user.logged-out"
  | "user.password-set"
  | "user.totp-enabled"
  | "user.totp-disabled"
  | "user.recovery-codes-made"
  | "user.recovery-code-used"
  | "user.passkey-added"
  | "user.passkey-renamed"
  | "user.passkey-deleted"
  | "user.sessions-ended"
  | "user.links-voided"
  | "user.login-failed"
  | "user.code-failed"
  | "user.passkey-failed"
  | "user.proof-refused"
  | "user.locked-out"
  | "member.invited"
  | "member.declined"
  | "member.added"
  | "member.changed"
  | "member.removed";

export interface AuditText {
  action: AuditAction;
  storeId: string | null;
  subject: string;
  /** Without secrets and account keys. */
  details?: object;
}

/** In the transaction of the change: there is never one without the other. Returns the entry's id. */
export async function writeAudit(tx: Tx, { details = {}, ...text }: AuditText): Promise<string> {
  const id = tx.newId("aud");
  const { kind: actorKind, id: actorId, linkShownTo } = tx.actor;
  const said = linkShownTo === undefined ? details : { ...details, linkShownTo };
  const at = await tx.now();
  await tx.manager.insert(AuditEntry, { ...text, id, at, actorKind, actorId, details: said });
  return id;
}
