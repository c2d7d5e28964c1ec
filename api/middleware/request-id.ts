import type { Middleware } from "koa";
import type { ApiState } from "../state";

/** Names each request in its answer and in the log, and keeps browsers from guessing, framing and storing answers. */
export function requestId(newId: (prefix: string) => string): Middleware<ApiState> {
  return async (koa, next) => {
    koa.state.requestId = newId("req");
    koa.set({
      "X-Request-Id": koa.state.requestId,
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "no-store",
      "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
      "Referrer-Policy": "no-referrer",
    });
    await next();
  };
}
