import type { Context } from "koa";

const CREDENTIALS = /^(?:token|bearer)(?:\s+(.*))?$/i;
const PREFIX = "/api/v1/";
/** It needs no key, and plugins read no more of it than its status. */
const HEALTH = /^health(\/|$)/;

/**
 * The key of a request in the dialect of shop plugins; null for a request to the native API. The scheme alone decides:
 * a plugin whose key is missing or malformed is refused in the form that it reads. Some plugins send `x-api-key`, too;
 * beside it a scheme without a key is a proxy's.
 */
export function keyOf(koa: Pick<Context, "path" | "get">): string | null {
  const { path } = koa;
  if (!path.startsWith(PREFIX) || HEALTH.test(path.slice(PREFIX.length))) return null;
  const credentials = CREDENTIALS.exec(koa.get("authorization"));
  const key = (credentials?.[1] ?? "").trim();
  return credentials === null || (key === "" && koa.get("x-api-key") !== "") ? null : key;
}
