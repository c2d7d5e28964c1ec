import { listAlerts } from "../../commands/server/list-alerts";
import { presentAlert } from "./present";
import { presentPage } from "../http/present-page";
import { route } from "../http/route";
import { listAlertsQuery } from "./request";
import { alertPage } from "./answer";

export const alertRoutes = [
  route({
    method: "get",
    path: "/stores/:storeId/alerts",
    operationId: "listAlerts",
    access: ["read"],
    tags: ["Stores"],
    summary: "List the store's alerts, newest first",
    query: listAlertsQuery,
    answer: alertPage,
    large: true,
    async handle({ ctx, params: { storeId }, query: { limit, cursor, ...filter } }) {
      return presentPage(await listAlerts(ctx, { ...filter, storeId }, { limit, cursor }), presentAlert);
    },
  }),
];
