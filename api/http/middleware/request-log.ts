import type { RouterContext } from "@koa/router";
import type { Middleware, ParameterizedContext } from "koa";
import type { HttpParts } from "../parts";
import type { ApiState } from "../state";

/** Logged without headers, query and body: keys, customers' data and searches. */
export function requestLog({ log, metrics }: Pick<HttpParts, "log" | "metrics">): Middleware<ApiState> {
  return async (koa, next) => {
    const startedAt = performance.now();
    try {
      await next();
    } finally {
      const { requestId, caller, userId } = koa.state;
      const { method, status } = koa;
      const durationMs = performance.now() - startedAt;
      metrics.request({ method, route: routeOf(koa), status, seconds: durationMs / 1_000 });
      const fields = {
        requestId,
        method,
        path: withoutToken(koa.path),
        status,
        durationMs: Math.round(durationMs),
        ...(caller === undefined ? {} : { storeId: caller.storeId, keyId: caller.keyId }),
        ...(userId === undefined ? {} : { userId }),
      };
      log[status >= 500 ? "warn" : "info"](fields, "request");
    }
  };
}

/** By template: arbitrary paths must not become series. */
function routeOf(koa: ParameterizedContext<ApiState>): string {
  const { _matchedRoute: route } = koa as Partial<Pick<RouterContext, "_matchedRoute">>;
  return typeof route === "string" ? route : "other";
}

/** A mail program may encode the `#` before a token; earlier links had a `/` there. */
function withoutToken(path: string): string {
  return path.replace(/^\/(setup|unsubscribe).+/, "/$1[hidden]");
}
