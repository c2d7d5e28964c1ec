import type { CommandContext } from "../../commands/context";
import { DomainError } from "../../domain/errors";
import type { StoreRole } from "../../domain/account/store-role";
import { withUnderscores } from "../../domain/greenfield/key-text";
import { mayUse, type NeededPolicy } from "../../domain/greenfield/permissions";
import type { HttpParts } from "../http/parts";
import { callerByKey, onBehalfOf } from "../http/authenticate-api-key";
import { countAddress } from "../http/middleware/rate-limit";
import type { Authenticate, RouteContext } from "../http/serve-route";
import { missingPermission } from "./errors";
import type { GreenfieldCaller } from "./route";
import { keyOf } from "./speaks";

/** Counted for its store. @throws DomainError `unauthenticated`, `rate-limited`, `unavailable`. */
export async function callerOf(
  parts: HttpParts,
  koa: RouteContext,
): Promise<GreenfieldCaller & { base: CommandContext }> {
  const sentKey = keyOf(koa) ?? "";
  const native = koa.get("x-api-key");
  if (native !== "" && withUnderscores(native) !== withUnderscores(sentKey)) {
    await countAddress(koa, parts);
    throw new DomainError(
      "unauthenticated",
      "The headers Authorization and x-api-key name different keys: send one.",
    );
  }
  const { base, caller } = await callerByKey(parts, koa, {
    sent: withUnderscores(sentKey),
    refusal: "Send a valid API key in the header Authorization, as `token <key>`.",
  });
  return { base, caller, sentKey };
}

/** A key with the route's permission, for its own store only. */
export function authenticateGreenfield(
  parts: HttpParts,
  needs: NeededPolicy,
): Authenticate<{ ctx: CommandContext; role: StoreRole } & GreenfieldCaller> {
  return async (koa) => {
    const { base, caller, sentKey } = await callerOf(parts, koa);
    if (needs !== "any" && !mayUse(caller.permissions, needs)) throw missingPermission(needs);
    if ("storeId" in koa.params && koa.params["storeId"] !== caller.storeId) {
      const other = "It belongs to another store.";
      throw needs === "any" ? new DomainError("store-mismatch", other) : missingPermission(needs, other);
    }
    return { ctx: onBehalfOf(base, caller), role: "owner", caller, sentKey };
  };
}
