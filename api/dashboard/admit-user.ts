import type { CommandContext } from "../../commands/context";
import { readSession, type SessionUser } from "../../commands/session";
import { roleInStore } from "../../commands/store-access";
import { DomainError } from "../../domain/errors";
import { roleReaches, type StoreRole } from "../../domain/store-role";
import type { AppParts } from "../app-parts";
import { countKey } from "../middleware/rate-limit";
import type { Needs, Served } from "../route";
import { canBeId, type Admit } from "../serve-route";
import { doorOf, type Door } from "./door";
import type { Live } from "./live";
import { requireSudo, sessionOf } from "./session";
import { readSessionCookie } from "./session-cookie";

/** What a route of the dashboard is given beside its request. */
export interface Admitted {
  /** On the user's behalf. */
  ctx: CommandContext;
  user: SessionUser;
  parts: AppParts;
  door: Door;
  live: Live;
  /** Whether the user would still be let in, for an answer that takes long. It does not keep the session awake. */
  allowed(): Promise<boolean>;
}

type Asked = Pick<Served, "method"> & Needs;

/** Reading needs a viewer, changing a member, unless the route says otherwise. */
export function roleNeeded({ method, role }: Asked): StoreRole {
  return role ?? (method === "get" ? "viewer" : "member");
}

/**
 * The door of the dashboard: a session's cookie. Somebody who is no member of a store is told the same as of one that
 * does not exist.
 * @throws DomainError `unauthenticated`, `rate-limited`, `admin-only`, `store-mismatch`, `role-insufficient`,
 * `reauthentication-needed`; `unavailable` before the database was reached.
 */
export function admitUser(parts: AppParts, live: Live, route: Asked): Admit<Admitted> {
  return async (koa) => {
    const { ctx, user } = await sessionOf(koa, parts);
    koa.state.userId = user.userId;
    await countKey(koa, parts, user.sessionId);
    const storeId = koa.params["storeId"];
    await checkRights(ctx, user, storeId, route);
    if (route.sudo === true) requireSudo(user);
    const token = readSessionCookie(koa, ctx.settings.publicUrl);
    const allowed = () => stillAllowed(ctx, token, storeId, route);
    return { ctx, user, parts, door: doorOf(koa, parts), live, allowed };
  };
}

async function checkRights(
  ctx: CommandContext,
  user: Pick<SessionUser, "userId" | "admin">,
  storeId: string | undefined,
  route: Asked,
): Promise<void> {
  const access = storeId !== undefined && canBeId(storeId) ? await roleInStore(ctx, user, storeId) : null;
  if (storeId !== undefined && access === null)
    throw new DomainError("store-mismatch", "There is no such store, or you are not a member of it.");
  const needed = roleNeeded(route);
  if (access !== null && !roleReaches(access.role, needed))
    throw new DomainError("role-insufficient", `In this store you are ${access.role}: this needs ${needed}.`);
  if (route.admin === true && !user.admin)
    throw new DomainError("admin-only", "Only a server admin may do this.");
}

async function stillAllowed(
  ctx: CommandContext,
  token: string,
  storeId: string | undefined,
  route: Asked,
): Promise<boolean> {
  const found = await readSession(ctx.db.manager, ctx, { token, stage: "full" });
  if (found === null) return false;
  const { id: userId, admin } = found.user;
  try {
    await checkRights(ctx, { userId, admin }, storeId, route);
    return true;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}
