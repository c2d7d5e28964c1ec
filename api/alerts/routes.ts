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
    async handle({ ctx, params: { storeId }, query: { limit, cursor, ...filter }, large }) {
      const page = { limit, cursor };
      return presentPage(await large.read(() => listAlerts(ctx, { ...filter, storeId }, page)), presentAlert);
    },
  }),
];
