import type { Context } from "koa";

const CREDENTIALS = /^(?:token|bearer)\s+(\S+)\s*$/i;
const PREFIX = "/api/v1/";
/** It needs no key, and plugins read no more of it than its status. */
const HEALTH = /^health(\/|$)/;

/** The key of a request in the dialect of shop plugins; null for a request to the native API. */
export function keyOf(koa: Pick<Context, "path" | "get">): string | null {
  const { path } = koa;
  if (!path.startsWith(PREFIX) || HEALTH.test(path.slice(PREFIX.length))) return null;
  // Proxies may add credentials of their own to a request of the native API.
  if (koa.get("x-api-key") !== "") return null;
  return CREDENTIALS.exec(koa.get("authorization"))?.[1] ?? null;
}
