import { type AuditView, listAudit } from "../../../commands/server/list-audit";
import { presentPage } from "../../http/present-page";
import { auditPage, auditQuery, storeAuditQuery } from "./audit-request";
import { dashboardRoute } from "../route";

export const auditRoutes = [
  dashboardRoute({
    method: "get",
    path: "/stores/:storeId/audit",
    role: "owner",
    query: storeAuditQuery,
    answer: auditPage,
    large: true,
    async handle({ ctx, params: { storeId }, query: { limit, cursor, ...filter } }) {
      return presentPage(await listAudit(ctx, { ...filter, storeId }, { limit, cursor }), presentAudit);
    },
  }),
  dashboardRoute({
    method: "get",
    path: "/admin/audit",
    admin: true,
    query: auditQuery,
    answer: auditPage,
    large: true,
    async handle({ ctx, query: { limit, cursor, ...filter } }) {
      return presentPage(await listAudit(ctx, filter, { limit, cursor }), presentAudit);
    },
  }),
];

function presentAudit({ entry, actorName }: AuditView) {
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
