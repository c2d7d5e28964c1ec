import { authenticate, type Caller } from "../../commands/stores/api-key";
import type { CommandContext } from "../../commands/context";
import { DomainError } from "../../domain/errors";
import type { StoreRole } from "../../domain/account/store-role";
import type { AppDependencies } from "../app-dependencies";
import { countAddress, countStore } from "./middleware/rate-limit";
import { keyAsLogged, noteRefused } from "./refused";
import type { Admit, RouteContext } from "./serve-route";

/**
 * Authentication of `/api/v1`: an API key, for its own store only. Cookies are ignored.
 * @throws DomainError `unauthenticated`, `rate-limited`, `store-mismatch`; `unavailable` before the database was
 * reached.
 */
export function authenticateApiKey(parts: AppDependencies): Admit<{ ctx: CommandContext; role: StoreRole }> {
  return async (koa) => {
    const base = parts.context();
    if (base === null)
      throw new DomainError("unavailable", "The service is starting. Try again in a moment.");
    const caller = await callerOf(base, koa, parts);
    koa.state.caller = caller;
    if ("storeId" in koa.params && koa.params["storeId"] !== caller.storeId)
      throw new DomainError("store-mismatch", "This API key belongs to another store.");
    return { ctx: { ...base, actor: { kind: "key", id: caller.keyId } }, role: "owner" };
  };
}

/** One refusal for every kind of wrong key: guesses must not learn how near they are. */
async function callerOf(ctx: CommandContext, koa: RouteContext, parts: AppDependencies): Promise<Caller> {
  const sent = koa.get("x-api-key");
  const caller = await authenticate(ctx, sent);
  if (caller === null) {
    if (sent !== "")
      noteRefused(koa, { parts, ctx }, { event: "key-refused", account: null, unknownAs: keyAsLogged(sent) });
    await countAddress(koa, parts);
    throw new DomainError("unauthenticated", "Send a valid API key in the header x-api-key.");
  }
  await countStore(koa, parts, caller.storeId);
  return caller;
}
