import type { Context } from "koa";
import type { CommandContext } from "../../commands/context";
import { owesSecondFactor } from "../../commands/accounts/factors";
import { asUser, authenticateSession, type SessionUser } from "../../commands/accounts/session";
import type { Asker } from "../../commands/stores/store-access";
import { DomainError } from "../../domain/errors";
import type { HttpParts } from "./parts";
import { contextOf, forRequest } from "./for-request";
import { countAddress } from "./middleware/rate-limit";
import { readSessionCookie } from "./session-cookie";

/** By cookie only: no API key. @throws DomainError `unauthenticated`; `unavailable` before the database was reached. */
export async function sessionOf(koa: Context, parts: HttpParts) {
  const base = contextOf(parts);
  const { publicUrl } = base.settings;
  const user = await authenticateSession(base, readSessionCookie(koa, publicUrl));
  if (user === null) {
    await countAddress(koa, parts);
    // Kept: another request may be setting a new one.
    koa.set("WWW-Authenticate", 'Session realm="quittance"');
    throw new DomainError("unauthenticated", "Log in first.");
  }
  return { ctx: asUser(forRequest(base, koa), user.userId, user.linkShownTo), user };
}

/** @throws DomainError `second-factor-needed` */
export async function requireSecondFactor(ctx: CommandContext, asker: Asker): Promise<void> {
  if (await owesSecondFactor(ctx, asker))
    throw new DomainError(
      "second-factor-needed",
      "Set up an authenticator app or a passkey at Account: this server asks owners and admins for one.",
    );
}

/**
 * An intruder at an open browser would try these first.
 * @throws DomainError `reauthentication-needed` after ten minutes.
 */
export function requireSudo({ sudo }: SessionUser): void {
  if (!sudo) throw new DomainError("reauthentication-needed", "Confirm that it's you first.");
}
