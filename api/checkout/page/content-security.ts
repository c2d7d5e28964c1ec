import type { Context } from "koa";
import { originOf } from "../../../domain/shop-origins";

export interface Allowed {
  nonce: string;
  /** The store's own picture; null: none. */
  logoUrl: string | null;
  /** Origins whose pages may frame this one. */
  framedBy: readonly string[];
  /** Whether it has a form, which then posts only to us. */
  hasForm: boolean;
}

/** What a browser may load on the page, and which pages may frame it, in place of every answer's policy. */
export function setContentSecurity(koa: Context, { nonce, logoUrl, framedBy, hasForm }: Allowed): void {
  // A host that a policy cannot contain would end the directive: its picture is not shown.
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
  // Without it a browser that does not know Sec-Fetch-Site says no origin when the form is sent to us.
  if (hasForm) koa.set("Referrer-Policy", "same-origin");
  // It allows no list of origins, and browsers without frame-ancestors obey it.
  if (framedBy.length > 0) koa.remove("X-Frame-Options");
}
