import type { Context } from "koa";

const CREDENTIALS = /^(?:token|bearer)(?:\s+(.*))?$/i;
const PREFIX = "/api/v1/";
/** No key, and plugins read only the status. */
const HEALTH = /^health(\/|$)/;

/**
 * Null: the native API. The scheme alone decides: a malformed key is refused in the plugin's form. Beside `x-api-key` a
 * scheme without a key is a proxy's.
 */
export function keyOf(koa: Pick<Context, "path" | "get">): string | null {
  const { path } = koa;
  if (!path.startsWith(PREFIX) || HEALTH.test(path.slice(PREFIX.length))) return null;
  const credentials = CREDENTIALS.exec(koa.get("authorization"));
  const key = (credentials?.[1] ?? "").trim();
  return credentials === null || (key === "" && koa.get("x-api-key") !== "") ? null : key;
}
