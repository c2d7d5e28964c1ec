import type { Middleware } from "koa";
import type { Log } from "../../../commands/ports";
import type { ApiState } from "../../state";

/** One line a request. Neither headers nor query nor body: keys, customers' data and searches stay out of the log. */
export function requestLog(log: Log): Middleware<ApiState> {
  return async (koa, next) => {
    const startedAt = performance.now();
    try {
      await next();
    } finally {
      const { requestId, caller, userId } = koa.state;
      const fields = {
        requestId,
        method: koa.method,
        path: withoutToken(koa.path),
        status: koa.status,
        durationMs: Math.round(performance.now() - startedAt),
        ...(caller === undefined ? {} : { storeId: caller.storeId, keyId: caller.keyId }),
        ...(userId === undefined ? {} : { userId }),
      };
      log[koa.status >= 500 ? "warn" : "info"](fields, "request");
    }
  };
}

/** The address of a one-time link's page is the link. */
function withoutToken(path: string): string {
  return path.replace(/^\/setup\/.*/, "/setup/[hidden]");
}
