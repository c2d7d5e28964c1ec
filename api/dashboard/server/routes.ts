import { readHealth } from "../../../commands/installation/health";
import { readServerState } from "../../../commands/installation/read-server-info";
import { surroundingsOf } from "../../server/health-routes";
import { serverStateAnswer } from "./answer";
import { dashboardRoute } from "../route";

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
];
