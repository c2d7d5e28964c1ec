import { randomBytes } from "node:crypto";
import Router from "@koa/router";
import type { Context } from "koa";
import type { DashboardFile, DashboardFiles } from "./dashboard-files";
import type { ApiState } from "./state";

// The dashboard's pages: one document at all their addresses, and the files that it loads.

/** Addresses of pages: `web/dashboard/app/routes.tsx` knows them one by one. `/admin/queues` is not among them. */
const PAGES = [
  "/",
  "/login",
  "/setup/:token",
  "/stores{/*rest}",
  "/account",
  "/admin",
  "/admin/users",
  "/admin/health",
  "/admin/audit",
];
const NONCE_BYTES = 16;

/** Nothing of other hosts but a store's logo. Styles that scripts add need the nonce of their answer. */
const contentSecurityPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: https:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

/** The service may stand below a path of its host: the page's `<base>` says which. */
export function dashboardPages({ page, files }: DashboardFiles, publicUrl: string): Router<ApiState> {
  const base = `${new URL(publicUrl).pathname.replace(/\/$/, "")}/`;
  const document = page.replaceAll("%BASE%", base);
  const router = new Router<ApiState>({ sensitive: true });
  router.get(PAGES, (koa) => {
    const nonce = randomBytes(NONCE_BYTES).toString("base64");
    koa.set("Content-Security-Policy", contentSecurityPolicy(nonce));
    koa.set("Cache-Control", "no-store");
    koa.type = "text/html";
    koa.body = document.replaceAll("%NONCE%", nonce);
  });
  for (const [name, file] of files) router.get(`/${name}`, (koa) => serve(koa, name, file));
  return router;
}

/** A file below assets/ has the hash of its content in its name: it is kept for ever. */
function serve(koa: Context, name: string, { type, content, br, gzip }: DashboardFile): void {
  koa.set("Cache-Control", name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache");
  koa.vary("Accept-Encoding");
  koa.type = type;
  const [encoding, body] =
    br !== null && koa.acceptsEncodings("br") === "br"
      ? ["br", br]
      : gzip !== null && koa.acceptsEncodings("gzip") === "gzip"
        ? ["gzip", gzip]
        : [null, content];
  if (encoding !== null) koa.set("Content-Encoding", encoding);
  koa.body = body;
}
