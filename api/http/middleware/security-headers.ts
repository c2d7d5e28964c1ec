import type { Middleware } from "koa";
import type { AppDependencies } from "../../app-dependencies";

/** A year; other hosts of the same domain are none of our business, unless the operator says so. */
const HSTS = "max-age=31536000";

/**
 * What every answer tells a browser: not to guess types, not to frame or store it, not to share a window with other
 * sites, not to tell them whence it comes, and, where browsers come by https, to come by nothing else. A page names
 * what it may load by a policy of its own in place of this one, which allows nothing.
 */
export function securityHeaders({
  publicUrl,
  hstsSubdomains = false,
}: Pick<AppDependencies, "publicUrl" | "hstsSubdomains">): Middleware {
  const hsts = hstsSubdomains ? `${HSTS}; includeSubDomains` : HSTS;
  const headers = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    ...(publicUrl.startsWith("https:") ? { "Strict-Transport-Security": hsts } : {}),
  };
  return async (koa, next) => {
    koa.set(headers);
    await next();
  };
}
