import { randomBytes } from "node:crypto";
import Router from "@koa/router";
import type { Context } from "koa";
import type { Network } from "../../domain/network";
import { redirectOrigin } from "../../domain/greenfield/connection-request";
import { keeping, serveFile } from "../http/built-files";
import type { DashboardFiles } from "./dashboard-files";
import type { ApiState } from "../http/state";

/** As in `web/dashboard/app/routes.tsx`, without `/admin/queues`. */
const PAGES = [
  "/",
  "/login",
  "/setup",
  "/unsubscribe",
  "/stores{/*rest}",
  "/invoices/:invoiceId",
  "/deliveries/:deliveryId",
  "/account",
  "/admin",
  "/admin/users",
  "/admin/health",
  "/admin/audit",
];
/** It posts the key to the redirect that the application named. */
const CONNECT_PAGE = "/api-keys/authorize";
const NONCE_BYTES = 16;

/** No other hosts except a store's logo. Styles that scripts add need the nonce. */
const contentSecurityPolicy = (nonce: string, formTo: string | null): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: https:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'self'",
    `form-action 'self'${formTo === null ? "" : ` ${formTo}`}`,
    "frame-ancestors 'none'",
  ].join("; ");

/** The service may be below a path of its host: the page's `<base>` says which. */
export function dashboardPages(
  { page, files }: DashboardFiles,
  { publicUrl, network }: { publicUrl: string; network: Network },
): Router<ApiState> {
  const base = `${new URL(publicUrl).pathname.replace(/\/$/, "")}/`;
  const document = page.replaceAll("%BASE%", base);
  const router = new Router<ApiState>({ sensitive: true });
  const send = (koa: Context, formTo: string | null): void => {
    const nonce = randomBytes(NONCE_BYTES).toString("base64");
    koa.set("Content-Security-Policy", contentSecurityPolicy(nonce, formTo));
    koa.set("Cache-Control", "no-store");
    koa.type = "text/html";
    koa.body = document.replaceAll("%NONCE%", nonce);
  };
  router.get(PAGES, (koa) => send(koa, null));
  router.get(CONNECT_PAGE, (koa) => {
    // Read as the page reads it, which refuses several; koa.query knows only the first thousand parameters.
    const [redirect, ...others] = new URLSearchParams(koa.querystring).getAll("redirect");
    const refused = redirect === undefined || others.length > 0;
    send(koa, refused ? null : redirectOrigin(redirect, network));
  });
  for (const [name, file] of files) router.get(`/${name}`, (koa) => serveFile(koa, file, keeping(name)));
  return router;
}
