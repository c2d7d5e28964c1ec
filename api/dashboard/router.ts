import Router from "@koa/router";
import type { DashboardParts } from "./parts";
import { sameSite } from "../http/middleware/same-site";
import { serveRoute } from "../http/serve-route";
import type { Serving } from "../http/serving";
import type { ApiState } from "../http/state";
import { authenticateUser } from "./authenticate-user";
import { acceptAnonymous } from "./entry-route";
import { makeLive } from "./live";
import type { DashboardRoute } from "./route";
import { entryRoutes } from "./account/entry-routes";

export function dashboardRouter(
  parts: DashboardParts,
  routes: readonly DashboardRoute[],
  serving: Serving,
): Router<ApiState> {
  const router = new Router<ApiState>({ prefix: "/api/dashboard", sensitive: true });
  const live = makeLive(parts);
  router.use(sameSite(new URL(parts.publicUrl).origin));
  for (const route of entryRoutes)
    router[route.method](route.path, serveRoute(route, acceptAnonymous(parts, route), serving));
  for (const route of routes)
    router[route.method](route.path, serveRoute(route, authenticateUser(parts, live, route), serving));
  return router;
}
