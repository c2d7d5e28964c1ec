import type { Middleware } from "koa";
import type { Log } from "../../../commands/ports";
import type { ApiState } from "../../state";

/**
 * One line per request. Headers, query and body are left out: keys, customers' data and searches must not be
 * logged.
 */
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

/** A mail program may encode the `#` before a one-time link's token; links of earlier versions had a `/` there. */
function withoutToken(path: string): string {
  return path.replace(/^\/setup.+/, "/setup[hidden]");
}
