import type { Middleware } from "koa";
import type { Log } from "../../../commands/ports";
import type { ApiState } from "../state";

/** Without headers, query and body: keys, customers' data and searches. */
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

/** A mail program may encode the `#` before a token; earlier links had a `/` there. */
function withoutToken(path: string): string {
  return path.replace(/^\/(setup|unsubscribe).+/, "/$1[hidden]");
}
