import type { RouterContext } from "@koa/router";
import type { Middleware, ParameterizedContext } from "koa";
import type { ProcessMetrics } from "../../../adapters/metrics/process-metrics";
import type { ApiState } from "../state";

/** By template: arbitrary paths must not become series. */
export function requestMetrics(metrics: Pick<ProcessMetrics, "request">): Middleware<ApiState> {
  return async (koa, next) => {
    const startedAt = performance.now();
    try {
      await next();
    } finally {
      const seconds = (performance.now() - startedAt) / 1_000;
      metrics.request({ method: koa.method, route: routeOf(koa), status: koa.status, seconds });
    }
  };
}

function routeOf(koa: ParameterizedContext<ApiState>): string {
  const { _matchedRoute: route } = koa as Partial<Pick<RouterContext, "_matchedRoute">>;
  return typeof route === "string" ? route : "other";
}
