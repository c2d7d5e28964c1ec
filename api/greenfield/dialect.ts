import Router from "@koa/router";
import type { Middleware } from "koa";
import { DomainError } from "../../domain/errors";
import type { HttpParts } from "../http/parts";
import { methods } from "../http/middleware/methods";
import { countAddress } from "../http/middleware/rate-limit";
import { serveRoute } from "../http/serve-route";
import type { Serving } from "../http/serving";
import type { ApiState } from "../http/state";
import { authenticateGreenfield, callerOf } from "./authenticate";
import { GreenfieldError } from "./errors";
import { REFUSED_ROUTES } from "./refused-routes";
import { GREENFIELD_ROUTES } from "./route-table";
import { keyOf } from "./speaks";

/** BTCPay's Greenfield API at the native paths: the header Authorization says which (docs/adr/0062). */
export function greenfield(parts: HttpParts, serving: Serving): Middleware<ApiState> {
  const router = routerOf(parts, serving);
  const routes = router.routes() as unknown as Middleware<ApiState>;
  const known = methods(router);
  return async (koa, next) => {
    if (keyOf(koa) === null) {
      await next();
      return;
    }
    const unknown = async (): Promise<never> => {
      await countAddress(koa, parts);
      throw new DomainError("route-not-found", `Not found: ${koa.path}`);
    };
    await known(koa, async () => void (await routes(koa, unknown)));
  };
}

function routerOf(parts: HttpParts, serving: Serving): Router<ApiState> {
  const router = new Router<ApiState>({ prefix: "/api/v1", sensitive: true });
  for (const route of GREENFIELD_ROUTES)
    router[route.method](route.path, serveRoute(route, authenticateGreenfield(parts, route.needs), serving));
  for (const [message, paths] of REFUSED_ROUTES)
    for (const path of paths)
      router.all(path, async (koa) => {
        await callerOf(parts, koa);
        throw new GreenfieldError(410, { code: "unsupported-in-v2", message });
      });
  return router;
}
