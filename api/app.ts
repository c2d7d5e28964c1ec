import Router from "@koa/router";
import Koa from "koa";
import type { Board, BoardOptions } from "../adapters/queues/board";
import { authenticateApiKey } from "./http/authenticate-api-key";
import type { CheckoutParts } from "./checkout/parts";
import { checkoutPages } from "./checkout/router";
import { dashboardRouter } from "./dashboard/router";
import { dashboardPages } from "./dashboard/dashboard-pages";
import type { DashboardFiles } from "./dashboard/dashboard-files";
import type { DashboardParts } from "./dashboard/parts";
import { greenfield } from "./greenfield/dialect";
import { greenfieldErrors } from "./greenfield/errors";
import { pagesRouter } from "./openapi/reference-pages";
import type { ProxyWatch } from "./http/proxy-watch";
import { serveRoute } from "./http/serve-route";
import { makeServing } from "./http/serving";
import { deadline } from "./http/middleware/deadline";
import { addressLimit } from "./http/middleware/rate-limit";
import { methods } from "./http/middleware/methods";
import { problems } from "./http/middleware/problems";
import { requestId } from "./http/middleware/request-id";
import { requestLog } from "./http/middleware/request-log";
import { securityHeaders } from "./http/middleware/security-headers";
import { queueBoard } from "./server/queue-board";
import { describe, PUBLIC_ROUTES, ROUTES, SESSION_ROUTES } from "./route-table";
import type { ApiState } from "./http/state";

export interface AppDependencies extends CheckoutParts, DashboardParts {
  newId: (prefix: string) => string;
  /** Default: off. */
  hstsSubdomains?: boolean;
  queueBoard: ((options: BoardOptions) => Board) | null;
  dashboard: DashboardFiles | null;
  proxies: ProxyWatch;
}

export function createApp(parts: AppDependencies): Koa<ApiState> {
  const serving = makeServing(parts);
  const router = new Router<ApiState>({ prefix: "/api/v1", sensitive: true });
  for (const route of PUBLIC_ROUTES)
    router[route.method](route.path, addressLimit(parts), route.serve(parts));
  for (const route of ROUTES)
    router[route.method](route.path, serveRoute(route, authenticateApiKey(parts, route), serving));
  const dashboard = dashboardRouter(parts, SESSION_ROUTES, serving);

  const checkout = checkoutPages(parts);
  const pages = pagesRouter(() => describe(parts.version));

  const app = new Koa<ApiState>();
  app.silent = true; // errors are reported by `problems`, without a stack on stderr
  app.use(async (koa, next) => {
    parts.proxies.look(koa.req);
    await next();
  });
  app.use(securityHeaders(parts));
  app.use(requestId(parts.newId));
  app.use(requestLog(parts));
  app.use(problems(parts.log));
  app.use(greenfieldErrors(parts.log));
  app.use(deadline());
  app.use(greenfield(parts, serving));
  app.use(methods(router));
  app.use(router.routes());
  app.use(methods(dashboard));
  app.use(dashboard.routes());
  if (parts.dashboard !== null) {
    const shown = dashboardPages(parts.dashboard, parts);
    app.use(methods(shown));
    app.use(shown.routes());
  }
  app.use(methods(checkout));
  app.use(checkout.routes());
  app.use(addressLimit(parts));
  app.use(methods(pages));
  app.use(pages.routes());
  if (parts.queueBoard !== null) app.use(queueBoard(parts, parts.queueBoard));
  return app;
}
