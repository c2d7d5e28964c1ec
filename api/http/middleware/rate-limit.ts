import type { Context, Middleware } from "koa";
import type { RateLimiter } from "../../../adapters/rate-limits";
import type { Caller } from "../../../commands/stores/api-key";
import { clientAddress, senderOf } from "../../../domain/client-address";
import { DomainError } from "../../../domain/errors";
import type { Address } from "../../../domain/ip-address";
import type { HttpParts } from "../parts";
import type { ApiState } from "../state";

/**
 * With the header fields of draft-ietf-httpapi-ratelimit-headers-10: they occur only here.
 * @throws DomainError `rate-limited`
 */
async function count(
  koa: Context,
  { policy, take }: RateLimiter,
  sender: string,
  points = costOf(koa),
): Promise<void> {
  const { allowed, remaining, resetSeconds } = await take(sender, points);
  koa.set({
    "RateLimit-Policy": `"${policy.name}";q=${policy.limit};w=${policy.windowSeconds}`,
    RateLimit: `"${policy.name}";r=${remaining};t=${resetSeconds}`,
  });
  if (allowed) return;
  koa.set("Retry-After", String(resetSeconds));
  throw new DomainError(
    "rate-limited",
    `At most ${policy.limit} requests in ${policy.windowSeconds} s${points === 1 ? "" : `, of which this counts as ${points}`}. Try again in ${resetSeconds} s.`,
  );
}

const costOf = ({ state }: Context): number => (state as Partial<ApiState>).points ?? 1;

/**
 * Its store, whatever key. A key with less than full access may take half of the limits, and leaves the rest to others.
 */
const sendersOf = ({ storeId, keyId, permissions }: Caller): [sender: string, times: number][] =>
  permissions === null
    ? [[storeId, 1]]
    : [
        [keyId, 2],
        [storeId, 1],
      ];

/** More than a shop's invoice has. */
const BYTES_PER_REQUEST = 4 * 1024;

/** @throws DomainError `rate-limited` */
export async function countKey(
  koa: Context,
  { limits }: Pick<HttpParts, "limits">,
  caller: Caller,
  points = costOf(koa),
): Promise<void> {
  if (limits === null) return;
  for (const [sender, times] of sendersOf(caller)) await count(koa, limits.store, sender, points * times);
}

/** Each whole 4 KiB as one request more, but never as the whole of a small limit. @throws DomainError `rate-limited` */
export async function countBytes(
  koa: Context & { state: Partial<ApiState> },
  { limits }: Pick<HttpParts, "limits">,
  bytes: number,
): Promise<void> {
  const more = Math.floor(bytes / BYTES_PER_REQUEST);
  if (limits === null || more === 0) return;
  const points = Math.min(more, Math.floor(limits.store.policy.limit / 4));
  const { caller, userId } = koa.state;
  if (caller !== undefined) await countKey(koa, { limits }, caller, points);
  else if (userId !== undefined) await count(koa, limits.user, userId, points);
}

/** All anonymous customers of a store together, beside its keys: they cannot use up the shop's limit. */
export async function countAnonymous(
  koa: Context,
  { limits }: HttpParts,
  storeId: string,
  points: number,
): Promise<void> {
  if (limits !== null) await count(koa, limits.store, `anonymous ${storeId}`, points);
}

export async function countUser(koa: Context, { limits }: HttpParts, userId: string): Promise<void> {
  if (limits !== null) await count(koa, limits.user, userId);
}

export async function countAddress(koa: Context, parts: HttpParts): Promise<void> {
  if (parts.limits !== null) await count(koa, parts.limits.address, senderAddress(koa, parts));
}

type Proxies = Pick<HttpParts, "trustedProxies">;

/** Behind the trusted proxies. */
export function addressOf(koa: Context, { trustedProxies }: Proxies): Address | null {
  const { remoteAddress = "" } = koa.req.socket;
  return clientAddress(remoteAddress, koa.get("x-forwarded-for"), trustedProxies);
}

export const senderAddress = (koa: Context, parts: Proxies): string => senderOf(addressOf(koa, parts));

export function addressLimit(parts: HttpParts, points = 1): Middleware {
  return async (koa, next) => {
    (koa.state as Partial<ApiState>).points = points;
    await countAddress(koa, parts);
    await next();
  };
}
