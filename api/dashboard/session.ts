import type { Context } from "koa";
import type { CommandContext } from "../../commands/context";
import { owesSecondFactor } from "../../commands/accounts/factors";
import { asUser, authenticateSession, type SessionUser } from "../../commands/accounts/session";
import type { Asker } from "../../commands/stores/store-access";
import { DomainError } from "../../domain/errors";
import type { AppDependencies } from "../app-dependencies";
import { contextOf, forRequest } from "../http/for-request";
import { countAddress } from "../http/middleware/rate-limit";
import { readSessionCookie } from "./session-cookie";

/** A command context on a user's behalf, and the user. */
export interface SessionRequest {
  ctx: CommandContext;
  user: SessionUser;
}

/**
 * Authenticates by the session's cookie only: an API key is not accepted here.
 * @throws DomainError `unauthenticated`; `unavailable` before the database was reached.
 */
export async function sessionOf(koa: Context, parts: AppDependencies): Promise<SessionRequest> {
  const base = contextOf(parts);
  const { publicUrl } = base.settings;
  const user = await authenticateSession(base, readSessionCookie(koa, publicUrl));
  if (user === null) {
    await countAddress(koa, parts);
    // The cookie is kept: another request may be setting a new one at this moment.
    koa.set("WWW-Authenticate", 'Session realm="quittance"');
    throw new DomainError("unauthenticated", "Log in first.");
  }
  return { ctx: asUser(forRequest(base, koa), user.userId, user.linkShownTo), user };
}

/**
 * Refuses everything that an owner or an admin may do until they have the second factor that the server requires.
 * @throws DomainError `second-factor-needed`
 */
export async function requireSecondFactor(ctx: CommandContext, asker: Asker): Promise<void> {
  if (await owesSecondFactor(ctx, asker))
    throw new DomainError(
      "second-factor-needed",
      "Set up an authenticator app or a passkey at Account: this server asks owners and admins for one.",
    );
}

/**
 * For actions that an intruder at an open browser would try first.
 * @throws DomainError `reauthentication-needed` when the last fresh proof was given over ten minutes ago.
 */
export function requireSudo({ sudo }: SessionUser): void {
  if (!sudo) throw new DomainError("reauthentication-needed", "Confirm that it's you first.");
}
