import type { Context } from "koa";
import { originOf } from "../../../domain/shop-origins";

export interface Allowed {
  nonce: string;
  logoUrl: string | null;
  framedBy: readonly string[];
  /** Forms post only to this origin. */
  hasForm: boolean;
}

export function setContentSecurity(koa: Context, { nonce, logoUrl, framedBy, hasForm }: Allowed): void {
  // A host that a policy cannot contain would end the directive: its logo is not shown.
  const logo = logoUrl === null ? null : originOf(new URL(logoUrl).origin);
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self'${logo === null ? "" : ` ${logo}`}`,
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${hasForm ? "'self'" : "'none'"}`,
    `frame-ancestors ${framedBy.length === 0 ? "'none'" : framedBy.join(" ")}`,
  ];
  koa.set("Content-Security-Policy", policy.join("; "));
  // Otherwise a browser without Sec-Fetch-Site sends no origin when the form is submitted.
  if (hasForm) koa.set("Referrer-Policy", "same-origin");
  // X-Frame-Options allows no list of origins, and browsers without frame-ancestors obey it.
  if (framedBy.length > 0) koa.remove("X-Frame-Options");
}
