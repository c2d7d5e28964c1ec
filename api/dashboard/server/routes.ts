import { readHealth } from "../../../commands/installation/health";
import { listReports } from "../../../commands/server/list-alerts";
import { readServerState } from "../../../commands/installation/read-server-info";
import type { ReconciliationReport } from "../../../entities/reconciliation-report";
import { surroundingsOf } from "../../server/health-routes";
import { presentPage } from "../../http/present-page";
import { reportPage, serverStateAnswer } from "./answer";
import { pageQuery } from "../../http/schemas/page";
import { dashboardRoute } from "../route";

function presentReport({ id, ...report }: ReconciliationReport) {
  return { reportId: id, ...report };
}

export const dashboardServerRoutes = [
  dashboardRoute({
    method: "get",
    path: "/admin/health",
    admin: true,
    answer: serverStateAnswer,
    async handle({ ctx, parts }) {
      return {
        health: await readHealth(ctx, await surroundingsOf(parts)),
        ...(await readServerState(ctx)),
        queues: await parts.queueStats().catch(() => null),
      };
    },
  }),
  dashboardRoute({
    method: "get",
    path: "/admin/reconciliation-reports",
    admin: true,
    query: pageQuery,
    answer: reportPage,
    large: true,
    handle: async ({ ctx, query }) => presentPage(await listReports(ctx, query), presentReport),
  }),
];
