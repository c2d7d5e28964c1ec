import type { Context, Middleware } from "koa";
import type { RateLimiter } from "../../../adapters/rate-limits";
import { clientAddress, senderOf } from "../../../domain/client-address";
import { DomainError } from "../../../domain/errors";
import type { AppDependencies } from "../../app-dependencies";

/**
 * Counts a request and reports how many are left, in the header fields of draft-ietf-httpapi-ratelimit-headers-10,
 * whose names may still change: they occur only here.
 * @throws DomainError `rate-limited`
 */
async function count(koa: Context, { policy, take }: RateLimiter, sender: string): Promise<void> {
  const { allowed, remaining, resetSeconds } = await take(sender);
  koa.set({
    "RateLimit-Policy": `"${policy.name}";q=${policy.limit};w=${policy.windowSeconds}`,
    RateLimit: `"${policy.name}";r=${remaining};t=${resetSeconds}`,
  });
  if (allowed) return;
  koa.set("Retry-After", String(resetSeconds));
  throw new DomainError(
    "rate-limited",
    `At most ${policy.limit} requests in ${policy.windowSeconds} s. Try again in ${resetSeconds} s.`,
  );
}

/** A request with a valid key counts for its store, whichever key it is and wherever it comes from. */
export async function countStore(koa: Context, { limits }: AppDependencies, storeId: string): Promise<void> {
  if (limits !== null) await count(koa, limits.store, storeId);
}

/** A request with a valid session counts for its user. */
export async function countUser(koa: Context, { limits }: AppDependencies, userId: string): Promise<void> {
  if (limits !== null) await count(koa, limits.user, userId);
}

/** A request without a valid key counts for its sender's address. */
export async function countAddress(koa: Context, parts: AppDependencies): Promise<void> {
  if (parts.limits !== null) await count(koa, parts.limits.address, senderAddress(koa, parts));
}

/** The key for counting a sender: its address, behind the trusted proxies. */
export function senderAddress(
  koa: Context,
  { trustedProxies }: Pick<AppDependencies, "trustedProxies">,
): string {
  const { remoteAddress } = koa.req.socket;
  return senderOf(clientAddress(remoteAddress ?? "", koa.get("x-forwarded-for"), trustedProxies));
}

export function addressLimit(parts: AppDependencies): Middleware {
  return async (koa, next) => {
    await countAddress(koa, parts);
    await next();
  };
}
