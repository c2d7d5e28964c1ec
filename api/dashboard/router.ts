import Router from "@koa/router";
import type { AppParts } from "../app-parts";
import type { FeedWatch } from "../feed-watch";
import { sameSite } from "../middleware/same-site";
import { ROUTES } from "../route-table";
import { serveRoute } from "../serve-route";
import type { ApiState } from "../state";
import { admitUser } from "./admit-user";
import { admitStranger } from "./entry-route";
import { makeLive } from "./live";
import type { DashboardRoute } from "./route";
import { DASHBOARD_ROUTES } from "./route-table";
import { entryRoutes } from "./routes/entry";

/** The API's routes that a user has too, and those of the dashboard alone. */
export const SESSION_ROUTES: readonly DashboardRoute[] = [
  ...DASHBOARD_ROUTES,
  ...ROUTES.filter(({ keyOnly }) => keyOnly !== true),
];

/** `/api/dashboard`: what the pages of the dashboard ask, by a session. */
export function dashboardRouter(parts: AppParts, feed: FeedWatch): Router<ApiState> {
  const router = new Router<ApiState>({ prefix: "/api/dashboard", sensitive: true });
  const live = makeLive(parts);
  router.use(sameSite(new URL(parts.publicUrl).origin));
  for (const route of entryRoutes)
    router[route.method](route.path, serveRoute(route, admitStranger(parts), parts, feed));
  for (const route of SESSION_ROUTES)
    router[route.method](route.path, serveRoute(route, admitUser(parts, live, route), parts, feed));
  return router;
}
