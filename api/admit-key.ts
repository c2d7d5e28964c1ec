import { authenticate, type Caller } from "../commands/api-key";
import type { CommandContext } from "../commands/context";
import { DomainError } from "../domain/errors";
import type { AppParts } from "./app-parts";
import { countAddress, countKey } from "./middleware/rate-limit";
import type { Admit, RouteContext } from "./serve-route";

/**
 * The door of `/api/v1`: an API key, and its own store alone. Cookies are not looked at.
 * @throws DomainError `unauthenticated`, `rate-limited`, `store-mismatch`; `unavailable` before the database was reached.
 */
export function admitKey(parts: AppParts): Admit<{ ctx: CommandContext }> {
  return async (koa) => {
    const base = parts.context();
    if (base === null)
      throw new DomainError("unavailable", "The service is starting. Try again in a moment.");
    const caller = await callerOf(base, koa, parts);
    koa.state.caller = caller;
    if ("storeId" in koa.params && koa.params["storeId"] !== caller.storeId)
      throw new DomainError("store-mismatch", "This API key belongs to another store.");
    return { ctx: { ...base, actor: { kind: "key", id: caller.keyId } } };
  };
}

/** One refusal for every kind of wrong key: whoever guesses must not learn how near they are. */
async function callerOf(ctx: CommandContext, koa: RouteContext, parts: AppParts): Promise<Caller> {
  const caller = await authenticate(ctx, koa.get("x-api-key"));
  if (caller === null) {
    await countAddress(koa, parts);
    throw new DomainError("unauthenticated", "Send a valid API key in the header x-api-key.");
  }
  await countKey(koa, parts, caller.keyId);
  return caller;
}
