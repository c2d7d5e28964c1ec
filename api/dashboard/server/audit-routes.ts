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
    async handle({ ctx, params: { storeId }, query: { limit, cursor, ...filter }, large }) {
      const page = { limit, cursor };
      return presentPage(await large.read(() => listAudit(ctx, { ...filter, storeId }, page)), presentAudit);
    },
  }),
  dashboardRoute({
    method: "get",
    path: "/admin/audit",
    admin: true,
    query: auditQuery,
    answer: auditPage,
    async handle({ ctx, query: { limit, cursor, ...filter }, large }) {
      return presentPage(await large.read(() => listAudit(ctx, filter, { limit, cursor })), presentAudit);
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
