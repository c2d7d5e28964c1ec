import type { CommandContext } from "../../commands/context";
import { readSession, type SessionUser } from "../../commands/accounts/session";
import { roleInStore } from "../../commands/stores/store-access";
import { DomainError } from "../../domain/errors";
import { roleReaches, type StoreRole } from "../../domain/account/store-role";
import type { DashboardParts } from "./parts";
import { countUser } from "../http/middleware/rate-limit";
import type { Needs, RouteDefinition } from "../http/route";
import { canBeId, type Authenticate } from "../http/serve-route";
import { loginGateOf, type LoginGate } from "./login-gate";
import type { Live } from "./live";
import { requireSecondFactor, requireSudo, sessionOf } from "../http/session";
import { readSessionCookie } from "../http/session-cookie";
import { reading } from "../../commands/transaction";

export interface DashboardCaller {
  ctx: CommandContext;
  role: StoreRole;
  user: SessionUser;
  parts: DashboardParts;
  gate: LoginGate;
  live: Live;
  /** For an answer that takes long. It does not extend the session. */
  allowed(): Promise<boolean>;
  /** @throws DomainError `reauthentication-needed` for a field that needs a fresh proof. */
  checkBody(body: unknown): void;
}

type RouteNeeds = Pick<RouteDefinition, "method" | "path"> & Needs;

/** Enough to set up a missing second factor. */
const OPEN_WITHOUT = /^\/(account|session)(\/|$)/;

/** Reading needs a viewer, changing a member, unless the route says otherwise. */
export function roleNeeded({ method, role }: RouteNeeds): StoreRole {
  return role ?? (method === "get" ? "viewer" : "member");
}

/**
 * By a session's cookie. Without membership a store answers as if it did not exist.
 * @throws DomainError `unauthenticated`, `rate-limited`, `admin-only`, `store-mismatch`, `role-insufficient`,
 * `second-factor-needed`, `reauthentication-needed`; `unavailable` before the database was reached.
 */
export function authenticateUser(
  parts: DashboardParts,
  live: Live,
  route: RouteNeeds,
): Authenticate<DashboardCaller> {
  return async (koa) => {
    const { ctx, user } = await sessionOf(koa, parts);
    koa.state.userId = user.userId;
    await countUser(koa, parts, user.userId);
    const storeId = koa.params["storeId"];
    const role = await checkRights(ctx, user, storeId, route);
    if (route.sudo === true) requireSudo(user);
    const token = readSessionCookie(koa, ctx.settings.publicUrl);
    const allowed = () => stillAllowed(ctx, token, storeId, route);
    const checkBody = (body: unknown): void => {
      if (namesOneOf(body, route.sudo)) requireSudo(user);
    };
    return { ctx, role, user, parts, gate: loginGateOf(koa, parts, ctx), live, allowed, checkBody };
  };
}

function namesOneOf(body: unknown, fields: Needs["sudo"]): boolean {
  if (typeof fields !== "object" || typeof body !== "object" || body === null) return false;
  return fields.some((field) => field in body);
}

/** Returns the role in the path's store; without one, the least. */
async function checkRights(
  ctx: CommandContext,
  user: Pick<SessionUser, "userId" | "admin">,
  storeId: string | undefined,
  route: RouteNeeds,
): Promise<StoreRole> {
  const access = storeId !== undefined && canBeId(storeId) ? await roleInStore(ctx, user, storeId) : null;
  if (storeId !== undefined && access === null)
    throw new DomainError("store-mismatch", "The store does not exist, or you are not a member of it.");
  const needed = roleNeeded(route);
  if (access !== null && !roleReaches(access.role, needed))
    throw new DomainError(
      "role-insufficient",
      `In this store you are ${access.role}; this requires ${needed}.`,
    );
  if (route.admin === true && !user.admin)
    throw new DomainError("admin-only", "Only server admins may do this.");
  if (!OPEN_WITHOUT.test(route.path)) await requireSecondFactor(ctx, user);
  return access?.role ?? "viewer";
}

async function stillAllowed(
  ctx: CommandContext,
  token: string,
  storeId: string | undefined,
  route: RouteNeeds,
): Promise<boolean> {
  const found = await readSession(reading(ctx), { token, stage: "full" });
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
