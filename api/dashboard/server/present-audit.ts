import type { AuditView } from "../../../commands/server/list-audit";

export function presentAudit({ entry, actorName }: AuditView) {
  const { id, at, actorKind, actorId, action, storeId, subject, details } = entry;
  return {
    auditId: id,
    at,
    actor: { kind: actorKind, id: actorId, name: actorName },
    action,
    storeId,
    subject,
    details,
  };
}
