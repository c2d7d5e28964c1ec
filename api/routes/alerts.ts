import { listAlerts } from "../../commands/list-alerts";
import { presentAlert } from "../presenters/alert";
import { presentPage } from "../presenters/page";
import { route } from "../route";
import { listAlertsQuery } from "../schemas/alert";
import { alertPage } from "../schemas/alert-answer";

export const alertRoutes = [
  route({
    method: "get",
    path: "/stores/:storeId/alerts",
    operationId: "listAlerts",
    tags: ["Stores"],
    summary: "List what a person has to know about the store, newest first",
    query: listAlertsQuery,
    body: null,
    success: 200,
    answer: alertPage,
    errors: [],
    async handle({ ctx, params: { storeId }, query: { limit, cursor, ...filter } }) {
      return presentPage(await listAlerts(ctx, storeId, filter, { limit, cursor }), presentAlert);
    },
  }),
];
