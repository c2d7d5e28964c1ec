import type { RefusalEvent } from "../../domain/account/refusal";
import { AuditEntry } from "../../entities/audit-entry";
import type { Tx } from "../transaction";

export type AuditAction =
  | `store.${"created" | "changed" | "archived" | "unarchived"}`
  | `wallet.${"changed" | "removed" | "skipped"}`
  | `lightning.${"switched-on" | "switched-off" | "wait-ended" | "node-connected" | "node-removed"}`
  | `api-key.${"created" | "deleted"}`
  | `webhook.${"created" | "changed" | "deleted" | "secret-rotated"}`
  | `payment-link.${"created" | "changed" | "archived" | "unarchived" | "deleted"}`
  | `invoice.${"marked" | "erased"}`
  | "delivery.retry-asked"
  | "alert.resolved"
  | "chain.accepted"
  | "database.restored"
  | "review.resolved"
  | `user.${"created" | "changed" | "link-made" | "links-voided" | "password-set" | "sessions-ended"}`
  | `user.${"logged-in" | "logged-out" | Exclude<RefusalEvent, "key-refused">}`
  | `user.${"totp-enabled" | "totp-disabled" | "recovery-codes-made" | "recovery-code-used"}`
  | `user.passkey-${"added" | "renamed" | "deleted"}`
  | `member.${"invited" | "declined" | "added" | "changed" | "removed"}`;

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

/** About a user, and so about no store. */
export const writeUserAudit = (
  tx: Tx,
  action: Extract<AuditAction, `user.${string}`>,
  userId: string,
  details: object = {},
): Promise<string> => writeAudit(tx, { action, storeId: null, subject: userId, details });
