import { listAllAlerts } from "../../../commands/list-alerts";
import { resolveAlertByHand } from "../../../commands/resolve-alert-by-hand";
import { presentAlert } from "../../presenters/alert";
import { presentPage } from "../../presenters/page";
import { listAlertsQuery } from "../../schemas/alert";
import { alertAnswer } from "../../schemas/alert-answer";
import { anyAlertAnswer, anyAlertPage } from "../../schemas/dashboard/alert";
import { emptyBody, noQuery } from "../../schemas/text";
import { dashboardRoute } from "../route";

export const dashboardAlertRoutes = [
  dashboardRoute({
    method: "post",
    path: "/stores/:storeId/alerts/:alertId/resolve",
    query: noQuery,
    body: emptyBody,
    success: 200,
    answer: alertAnswer,
    handle: async ({ ctx, params }) => presentAlert(await resolveAlertByHand(ctx, params)),
  }),
  dashboardRoute({
    method: "get",
    path: "/admin/alerts",
    admin: true,
    query: listAlertsQuery,
    body: null,
    success: 200,
    answer: anyAlertPage,
    async handle({ ctx, query: { limit, cursor, ...filter } }) {
      return presentPage(await listAllAlerts(ctx, filter, { limit, cursor }), presentAlert);
    },
  }),
  dashboardRoute({
    method: "post",
    path: "/admin/alerts/:alertId/resolve",
    admin: true,
    query: noQuery,
    body: emptyBody,
    success: 200,
    answer: anyAlertAnswer,
    handle: async ({ ctx, params }) => presentAlert(await resolveAlertByHand(ctx, params)),
  }),
];
