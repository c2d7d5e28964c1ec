import { listAudit } from "../../../commands/server/list-audit";
import { presentPage } from "../../http/present-page";
import { presenter } from "../../http/presenter";
import { auditLine, auditPage, auditQuery, storeAuditQuery } from "./audit-request";
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

const shown = presenter(auditLine);

function presentAudit({ entry, actorName: name }: Awaited<ReturnType<typeof listAudit>>["items"][number]) {
  const { id: auditId, actorKind: kind, actorId: id } = entry;
  return shown(entry, { auditId, actor: { kind, id, name } });
}
