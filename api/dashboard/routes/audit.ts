import { listAudit } from "../../../commands/list-audit";
import { presentAudit } from "../../presenters/audit";
import { presentPage } from "../../presenters/page";
import { auditPage, auditQuery, storeAuditQuery } from "../../schemas/dashboard/audit";
import { dashboardRoute } from "../route";

export const auditRoutes = [
  dashboardRoute({
    method: "get",
    path: "/stores/:storeId/audit",
    role: "owner",
    query: storeAuditQuery,
    body: null,
    success: 200,
    answer: auditPage,
    async handle({ ctx, params: { storeId }, query: { limit, cursor, ...filter } }) {
      return presentPage(await listAudit(ctx, { ...filter, storeId }, { limit, cursor }), presentAudit);
    },
  }),
  dashboardRoute({
    method: "get",
    path: "/admin/audit",
    admin: true,
    query: auditQuery,
    body: null,
    success: 200,
    answer: auditPage,
    async handle({ ctx, query: { limit, cursor, ...filter } }) {
      return presentPage(await listAudit(ctx, filter, { limit, cursor }), presentAudit);
    },
  }),
];
