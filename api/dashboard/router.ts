import Router from "@koa/router";
import type { AppDependencies } from "../app-dependencies";
import { sameSite } from "../http/middleware/same-site";
import { ROUTES } from "../route-table";
import { serveRoute } from "../http/serve-route";
import type { Serving } from "../http/serving";
import type { ApiState } from "../state";
import { authenticateUser } from "./authenticate-user";
import { acceptAnonymous } from "./entry-route";
import { makeLive } from "./live";
import type { DashboardRoute } from "./route";
import { DASHBOARD_ROUTES } from "./route-table";
import { entryRoutes } from "./account/entry-routes";

export const SESSION_ROUTES: readonly DashboardRoute[] = [
  ...DASHBOARD_ROUTES,
  ...ROUTES.filter(({ keyOnly }) => keyOnly !== true),
];

export function dashboardRouter(parts: AppDependencies, serving: Serving): Router<ApiState> {
  const router = new Router<ApiState>({ prefix: "/api/dashboard", sensitive: true });
  const live = makeLive(parts);
  router.use(sameSite(new URL(parts.publicUrl).origin));
  for (const route of entryRoutes)
    router[route.method](route.path, serveRoute(route, acceptAnonymous(parts, route), serving));
  for (const route of SESSION_ROUTES)
    router[route.method](route.path, serveRoute(route, authenticateUser(parts, live, route), serving));
  return router;
}
