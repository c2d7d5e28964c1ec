import type { Middleware } from "koa";

/** A year, without other hosts of the domain by default. */
const HSTS = "max-age=31536000";

/** A page replaces the policy, which allows nothing, by one that names what it may load. */
export function securityHeaders({
  publicUrl,
  hstsSubdomains = false,
}: {
  publicUrl: string;
  hstsSubdomains?: boolean;
}): Middleware {
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
