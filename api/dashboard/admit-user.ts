import type { CommandContext } from "../../commands/context";
import type { SessionUser } from "../../commands/session";
import { roleInStore } from "../../commands/store-access";
import { DomainError } from "../../domain/errors";
import { roleReaches, type StoreRole } from "../../domain/store-role";
import type { AppParts } from "../app-parts";
import { countKey } from "../middleware/rate-limit";
import type { Needs, Served } from "../route";
import type { Admit } from "../serve-route";
import { doorOf, type Door } from "./door";
import { requireSudo, sessionOf } from "./session";

/** What a route of the dashboard is given beside its request. */
export interface Admitted {
  /** On the user's behalf. */
  ctx: CommandContext;
  user: SessionUser;
  parts: AppParts;
  door: Door;
}

/** Reading needs a viewer, changing a member, unless the route says otherwise. */
export function roleNeeded({ method, role }: Pick<Served, "method"> & Needs): StoreRole {
  return role ?? (method === "get" ? "viewer" : "member");
}

/**
 * The door of the dashboard: a session's cookie, sent by our own page. Somebody who is no member of a store is told
 * the same as of one that does not exist.
 * @throws DomainError `unauthenticated`, `rate-limited`, `admin-only`, `store-mismatch`,
 * `role-insufficient`, `reauthentication-needed`; `unavailable` before the database was reached.
 */
export function admitUser(parts: AppParts, route: Pick<Served, "method"> & Needs): Admit<Admitted> {
  return async (koa) => {
    const { ctx, user } = await sessionOf(koa, parts);
    koa.state.userId = user.userId;
    await countKey(koa, parts, user.sessionId);
    await checkStore(ctx, user, koa.params["storeId"], route);
    if (route.admin === true && !user.admin)
      throw new DomainError("admin-only", "Only a server admin may do this.");
    if (route.sudo === true) requireSudo(user);
    return { ctx, user, parts, door: doorOf(koa, parts) };
  };
}

async function checkStore(
  ctx: CommandContext,
  user: SessionUser,
  storeId: string | undefined,
  route: Pick<Served, "method"> & Needs,
): Promise<void> {
  if (storeId === undefined) return;
  const access = await roleInStore(ctx, user, storeId);
  if (access === null)
    throw new DomainError("store-mismatch", "There is no such store, or you are not a member of it.");
  const needed = roleNeeded(route);
  if (!roleReaches(access.role, needed))
    throw new DomainError("role-insufficient", `In this store you are ${access.role}: this needs ${needed}.`);
}
