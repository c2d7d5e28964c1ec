import { randomBytes } from "node:crypto";
import Router from "@koa/router";
import { serveFile } from "../http/built-files";
import type { DashboardFiles } from "./dashboard-files";
import type { ApiState } from "../state";

// The dashboard's pages: one document at all their addresses, and the files that it loads.

/** Addresses of pages: `web/dashboard/app/routes.tsx` lists each. `/admin/queues` is not among them. */
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

/** Nothing of other hosts except a store's logo. Styles that scripts add need the nonce of their answer. */
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

/** The service may be below a path of its host: the page's `<base>` says which. */
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
  for (const [name, file] of files) router.get(`/${name}`, (koa) => serveFile(koa, name, file));
  return router;
}
