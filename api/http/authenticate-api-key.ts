import { authenticate, type Caller } from "../../commands/stores/api-key";
import type { CommandContext } from "../../commands/context";
import { DomainError } from "../../domain/errors";
import { accessOf } from "../../domain/account/key-access";
import type { StoreRole } from "../../domain/account/store-role";
import type { HttpParts } from "./parts";
import { countAddress, countKey } from "./middleware/rate-limit";
import { keyAsLogged, noteRefused } from "./refused";
import { accessAllowed, type Route } from "./route";
import type { Authenticate, RouteContext } from "./serve-route";
import { contextOf } from "./for-request";

/**
 * For its own store only, with an access that the route allows. Cookies are ignored.
 * @throws DomainError `unauthenticated`, `rate-limited`, `plugin-key`, `store-mismatch`, `permission-missing`;
 * `unavailable` before the database was reached.
 */
export function authenticateApiKey(
  parts: HttpParts,
  route: Pick<Route, "access">,
): Authenticate<{ ctx: CommandContext; role: StoreRole }> {
  const allowed = accessAllowed(route);
  return async (koa) => {
    const sent = koa.get("x-api-key");
    const missing = sent === "" ? "This request has no header x-api-key. " : "";
    const refusal = `${missing}Send a valid API key in the header x-api-key.`;
    const { base, caller } = await callerByKey(parts, koa, { sent, refusal });
    const access = accessOf(caller.permissions);
    if (access === null)
      throw new DomainError(
        "plugin-key",
        "This API key is for a shop plugin, which sends it in the header Authorization. Use a key of this API here.",
      );
    if ("storeId" in koa.params && koa.params["storeId"] !== caller.storeId)
      throw new DomainError("store-mismatch", "This API key belongs to another store.");
    if (!allowed.includes(access))
      throw new DomainError(
        "permission-missing",
        `This requires an API key with the access ${allowed.join(" or ")}; this one has ${access}. Create another key, or ask an owner of the store for one.`,
      );
    // A lesser key is not shown what viewers are not, such as a webhook's URL.
    return { ctx: onBehalfOf(base, caller), role: access === "full" ? "owner" : "viewer" };
  };
}

/**
 * Counted for the key's store. A single refusal for every wrong key: guesses must not learn how near they are.
 * @throws DomainError `unauthenticated`, `rate-limited`; `unavailable` before the database was reached.
 */
export async function callerByKey(
  parts: HttpParts,
  koa: RouteContext,
  { sent, refusal }: { sent: string; refusal: string },
) {
  const base = contextOf(parts);
  const caller = await authenticate(base, sent);
  if (caller === null) {
    await countAddress(koa, parts); // before it is logged: a flood is not
    if (sent !== "")
      noteRefused(
        koa,
        { parts, ctx: base },
        { event: "key-refused", account: null, unknownAs: keyAsLogged(sent) },
      );
    throw new DomainError("unauthenticated", refusal);
  }
  await countKey(koa, parts, caller);
  koa.state.caller = caller;
  return { base, caller };
}

export function onBehalfOf(base: CommandContext, { keyId }: Caller): CommandContext {
  return { ...base, actor: { kind: "key", id: keyId } };
}
