import type { Middleware } from "koa";
import type { ApiState } from "../state";

export function requestId(newId: (prefix: string) => string): Middleware<ApiState> {
  return async (koa, next) => {
    koa.state.requestId = newId("req");
    koa.set("X-Request-Id", koa.state.requestId);
    await next();
  };
}
