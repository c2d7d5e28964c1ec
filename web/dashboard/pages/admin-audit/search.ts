import { onlySet, textOf, wordOf } from "../../kit/search-values";

/** A test compares it with what the commands write. */
export const AUDIT_ACTIONS = [
  "store.created",
  "store.changed",
  "store.archived",
  "store.unarchived",
  "wallet.changed",
  "wallet.removed",
  "wallet.skipped",
  "lightning.switched-on",
  "lightning.switched-off",
  "lightning.wait-ended",
  "lightning.node-connected",
  "lightning.node-removed",
  "api-key.created",
  "api-key.deleted",
  "webhook.created",
  "webhook.changed",
  "webhook.deleted",
  "webhook.secret-rotated",
  "payment-link.created",
  "payment-link.changed",
  "payment-link.archived",
  "payment-link.unarchived",
  "payment-link.deleted",
  "delivery.retry-asked",
  "alert.resolved",
  "chain.accepted",
  "database.restored",
  "invoice.marked",
  "invoice.erased",
  "review.resolved",
  "user.created",
  "user.changed",
  "user.link-made",
  "user.logged-in",
  "user.logged-out",
  "user.password-set",
  "user.totp-enabled",
  "user.totp-disabled",
  "user.recovery-codes-made",
  "user.recovery-code-used",
  "user.passkey-added",
  "user.passkey-renamed",
  "user.passkey-deleted",
  "user.sessions-ended",
  "user.links-voided",
  "user.login-failed",
  "user.code-failed",
  "user.passkey-failed",
  "user.proof-refused",
  "user.locked-out",
  "member.invited",
  "member.declined",
  "member.added",
  "member.changed",
  "member.removed",
] as const;

export interface AuditSearch {
  action?: (typeof AUDIT_ACTIONS)[number];
  store?: string;
  actor?: string;
}

export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  return onlySet({
    action: wordOf(search["action"], AUDIT_ACTIONS),
    store: textOf(search["store"]),
    actor: textOf(search["actor"]),
  });
}
