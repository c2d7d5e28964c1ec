import Router from "@koa/router";
import Koa from "koa";
import type { AppParts } from "./app-parts";
import { serveRoute } from "./serve-route";
import { deadline } from "./middleware/deadline";
import { methods } from "./middleware/methods";
import { problems } from "./middleware/problems";
import { requestId } from "./middleware/request-id";
import { requestLog } from "./middleware/request-log";
import type { Route } from "./route";
import { deliveryRoutes } from "./routes/deliveries";
import { healthRoute, liveRoute } from "./routes/health";
import { invoiceRoutes } from "./routes/invoices";
import { webhookRoutes } from "./routes/webhooks";
import type { ApiState } from "./state";

/** Every route that needs a store's key. */
const STORE_ROUTES: readonly Route[] = [...invoiceRoutes, ...webhookRoutes, ...deliveryRoutes];

/** The whole HTTP side, without a listener. */
export function createApp(parts: AppParts): Koa<ApiState> {
  const router = new Router<ApiState>({ prefix: "/api/v1", sensitive: true });
  router.get("/health", healthRoute(parts));
  router.get("/health/live", liveRoute);
  for (const route of STORE_ROUTES) router[route.method](route.path, serveRoute(route, parts));

  const app = new Koa<ApiState>();
  app.silent = true; // what fails below is told by `problems`, without a stack on stderr
  app.use(requestId(parts.newId));
  app.use(requestLog(parts.log));
  app.use(problems(parts.log));
  app.use(deadline());
  app.use(methods(router));
  app.use(router.routes());
  return app;
}
