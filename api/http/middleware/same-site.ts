import type { Context, Middleware } from "koa";
import { DomainError } from "../../../domain/errors";

const READS = ["GET", "HEAD"];

/**
 * For cookies: a change must come from our own page (Sec-Fetch-Site, else Origin) with a body of `bodyType`; a form
 * cannot send JSON. For reads another site may only link.
 * @throws DomainError `cross-site-request`, `unsupported-media-type`.
 */
export function sameSite(publicOrigin: string, bodyType = "application/json"): Middleware {
  return async (koa, next) => {
    const read = READS.includes(koa.method);
    if (!(read ? mayRead(koa) : mayChange(koa, publicOrigin)))
      throw new DomainError("cross-site-request", "Cross-site requests are not allowed.");
    if (!read && hasBody(koa) && koa.request.is(bodyType) !== bodyType)
      throw new DomainError("unsupported-media-type", `Send the body with Content-Type: ${bodyType}.`);
    await next();
  };
}

function mayRead(koa: Context): boolean {
  const from = koa.get("sec-fetch-site");
  if (["", "same-origin", "none"].includes(from)) return true;
  return koa.get("sec-fetch-mode") === "navigate" && koa.get("sec-fetch-dest") === "document";
}

function mayChange(koa: Context, publicOrigin: string): boolean {
  const from = koa.get("sec-fetch-site");
  if (from !== "") return from === "same-origin";
  const origin = koa.get("origin");
  return origin === publicOrigin || origin === `${koa.protocol}://${koa.host}`;
}

function hasBody(koa: Context): boolean {
  const { "content-length": length, "transfer-encoding": encoding } = koa.req.headers;
  return encoding !== undefined || (length !== undefined && length !== "0");
}
