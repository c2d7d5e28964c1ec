import Router from "@koa/router";
import Koa from "koa";
import { admitKey } from "./admit-key";
import type { AppParts } from "./app-parts";
import { checkoutPages } from "./checkout/router";
import { dashboardRouter } from "./dashboard/router";
import { dashboardPages } from "./dashboard-pages";
import { makeFeedWatch } from "./feed-watch";
import { pagesRouter } from "./pages";
import { serveRoute } from "./serve-route";
import { deadline } from "./middleware/deadline";
import { addressLimit } from "./middleware/rate-limit";
import { methods } from "./middleware/methods";
import { problems } from "./middleware/problems";
import { requestId } from "./middleware/request-id";
import { requestLog } from "./middleware/request-log";
import { requestMetrics } from "./middleware/request-metrics";
import { securityHeaders } from "./middleware/security-headers";
import { queueBoard } from "./queue-board";
import { PUBLIC_ROUTES, ROUTES } from "./route-table";
import type { ApiState } from "./state";

/** The whole HTTP side, without a listener. */
export function createApp(parts: AppParts): Koa<ApiState> {
  const feed = makeFeedWatch(parts);
  const router = new Router<ApiState>({ prefix: "/api/v1", sensitive: true });
  for (const route of PUBLIC_ROUTES)
    router[route.method](route.path, addressLimit(parts), route.serve(parts));
  const byKey = admitKey(parts);
  for (const route of ROUTES) router[route.method](route.path, serveRoute(route, byKey, parts, feed));
  const dashboard = dashboardRouter(parts, feed);

  const checkout = checkoutPages(parts);
  const pages = pagesRouter(parts.version);

  const app = new Koa<ApiState>();
  app.silent = true; // what fails below is told by `problems`, without a stack on stderr
  app.use(securityHeaders(parts.publicUrl));
  app.use(requestId(parts.newId));
  app.use(requestLog(parts.log));
  app.use(requestMetrics(parts));
  app.use(problems(parts.log));
  app.use(deadline());
  app.use(router.routes());
  app.use(methods(router));
  app.use(dashboard.routes());
  app.use(methods(dashboard));
  if (parts.dashboard !== null) {
    const shown = dashboardPages(parts.dashboard, parts.publicUrl);
    app.use(shown.routes());
    app.use(methods(shown));
  }
  app.use(checkout.routes());
  app.use(methods(checkout));
  app.use(addressLimit(parts));
  app.use(pages.routes());
  app.use(methods(pages));
  if (parts.queueBoard !== null) app.use(queueBoard(parts, parts.queueBoard));
  return app;
}
