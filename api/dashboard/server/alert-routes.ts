import { listAlerts } from "../../../commands/server/list-alerts";
import { resolveAlertByHand } from "../../../commands/installation/resolve-alert-by-hand";
import { presentAlert } from "../../alerts/present";
import { presentPage } from "../../http/present-page";
import { listAlertsQuery } from "../../alerts/request";
import { alertAnswer } from "../../alerts/answer";
import { anyAlertAnswer, anyAlertPage } from "./alert-answer";
import { emptyBody } from "../../http/schemas/text";
import { DomainError } from "../../../domain/errors";
import { requireSudo } from "../../http/session";
import { dashboardRoute } from "../route";

export const dashboardAlertRoutes = [
  dashboardRoute({
    method: "post",
    path: "/stores/:storeId/alerts/:alertId/resolve",
    sudo: false,
    body: emptyBody,
    answer: alertAnswer,
    async handle({ ctx, params, role, user }) {
      const checkGuard = (): void => {
        if (role !== "owner")
          throw new DomainError(
            "role-insufficient",
            "Only an owner can end this alert: it guards the wallet.",
          );
        requireSudo(user);
      };
      return presentAlert(await resolveAlertByHand(ctx, { ...params, checkGuard }));
    },
  }),
  dashboardRoute({
    method: "get",
    path: "/admin/alerts",
    admin: true,
    query: listAlertsQuery,
    answer: anyAlertPage,
    async handle({ ctx, query: { limit, cursor, ...filter } }) {
      return presentPage(await listAlerts(ctx, filter, { limit, cursor }), presentAlert);
    },
  }),
  dashboardRoute({
    method: "post",
    path: "/admin/alerts/:alertId/resolve",
    admin: true,
    sudo: false,
    body: emptyBody,
    answer: anyAlertAnswer,
    handle: async ({ ctx, params }) => presentAlert(await resolveAlertByHand(ctx, params)),
  }),
];
