import type Router from "@koa/router";
import type { Middleware } from "koa";
import { DomainError } from "../../domain/errors";
import type { ApiState } from "../state";

/** 405 with `Allow` for a known path, and OPTIONS with `Allow` and nothing else: `/api/v1` is for servers, so no CORS. */
export function methods(router: Router<ApiState>): Middleware<ApiState> {
  return async (koa, next) => {
    const { path, method } = koa;
    const known = router.match(path, method);
    if (known.route || known.path.length === 0) {
      await next();
      return;
    }
    const allowed = new Set(known.path.flatMap((layer) => layer.methods));
    koa.set("Allow", [...allowed, "OPTIONS"].join(", "));
    if (method !== "OPTIONS")
      throw new DomainError("method-not-allowed", `This path knows ${[...allowed].join(", ")}.`);
    koa.status = 204;
  };
}
