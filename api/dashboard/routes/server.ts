import { readHealth } from "../../../commands/health";
import { listReports } from "../../../commands/list-reports";
import { readServerState } from "../../../commands/read-server-state";
import type { ReconciliationReport } from "../../../entities/reconciliation-report";
import { surroundingsOf } from "../../routes/health";
import { presentPage } from "../../presenters/page";
import { reportPage, serverStateAnswer } from "../../schemas/dashboard/server";
import { pageQuery } from "../../schemas/page";
import { noQuery } from "../../schemas/text";
import { dashboardRoute } from "../route";

function presentReport({ id, ...report }: ReconciliationReport) {
  return { reportId: id, ...report };
}

export const dashboardServerRoutes = [
  dashboardRoute({
    method: "get",
    path: "/admin/health",
    admin: true,
    query: noQuery,
    body: null,
    success: 200,
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
    body: null,
    success: 200,
    answer: reportPage,
    handle: async ({ ctx, query }) => presentPage(await listReports(ctx, query), presentReport),
  }),
];
