import { createHash, timingSafeEqual } from "node:crypto";
import { clientAddress, senderOf, type TrustedProxy } from "../../domain/client-address";
import { DomainError } from "../../domain/errors";
import type { Middleware } from "koa";

const WINDOW_MS = 60_000;
const FAILURES_MAX = 10;
const ADDRESSES_MAX = 10_000;

interface Failures {
  count: number;
  untilMs: number;
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/**
 * HTTP basic authentication (RFC 7617) by one `user:password`. An address that failed ten times within a minute waits
 * until that minute is over, whatever it sends.
 * @throws DomainError `unauthenticated`, `rate-limited`.
 */
export function basicAuth(
  credentials: string,
  realm: string,
  trustedProxies: readonly TrustedProxy[],
): Middleware {
  const expected = digest(credentials);
  const failures = new Map<string, Failures>();

  function fail(address: string, nowMs: number): void {
    const known = failures.get(address);
    if (known !== undefined && nowMs < known.untilMs) known.count += 1;
    else {
      failures.delete(address);
      failures.set(address, { count: 1, untilMs: nowMs + WINDOW_MS });
    }
    const [oldest] = failures.keys();
    if (failures.size > ADDRESSES_MAX && oldest !== undefined) failures.delete(oldest);
  }

  return async (koa, next) => {
    const nowMs = performance.now();
    const { remoteAddress = "" } = koa.req.socket;
    const sender = senderOf(clientAddress(remoteAddress, koa.get("x-forwarded-for"), trustedProxies));
    const past = failures.get(sender);
    if (past !== undefined && past.count >= FAILURES_MAX && nowMs < past.untilMs) {
      koa.set("Retry-After", String(Math.ceil((past.untilMs - nowMs) / 1_000)));
      throw new DomainError("rate-limited", "Too many logins failed from this address.");
    }
    const sent = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(koa.get("authorization"))?.[1];
    const given = sent === undefined ? null : Buffer.from(sent, "base64").toString("utf8");
    if (given !== null && timingSafeEqual(digest(given), expected)) {
      await next();
      return;
    }
    if (given !== null) fail(sender, nowMs);
    koa.set("WWW-Authenticate", `Basic realm="${realm}", charset="UTF-8"`);
    throw new DomainError("unauthenticated", "Log in with the name and the password of ADMIN_BASIC_AUTH.");
  };
}
