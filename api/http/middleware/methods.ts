import type Router from "@koa/router";
import type { Middleware } from "koa";
import { DomainError } from "../../../domain/errors";
import type { ApiState } from "../state";

const either = new Intl.ListFormat("en-GB", { type: "disjunction" });

/**
 * 405 and OPTIONS with `Allow`; no CORS. Before the router, so that `/api-keys/current` does not take the methods of
 * `/api-keys/:keyId`.
 */
export function methods(router: Router<ApiState>): Middleware<ApiState> {
  return async (koa, next) => {
    const { path, method } = koa;
    const allowed = methodsOf(router, path, method);
    if (allowed.length === 0 || allowed.includes(method)) {
      await next();
      return;
    }
    koa.set("Allow", [...allowed, "OPTIONS"].join(", "));
    if (method !== "OPTIONS") {
      const named = either.format(allowed.filter((one) => one !== "HEAD"));
      throw new DomainError("method-not-allowed", `Method not allowed. Use ${named}.`);
    }
    koa.status = 204;
  };
}

/** By the matching route with the fewest parameters. */
function methodsOf(router: Router<ApiState>, path: string, method: string): string[] {
  const layers = router.match(path, method).path.filter((layer) => layer.methods.length > 0);
  const fewest = Math.min(...layers.map(({ paramNames }) => paramNames.length));
  const own = layers.filter(({ paramNames }) => paramNames.length === fewest);
  return [...new Set(own.flatMap((layer) => layer.methods))];
}
