import type { Context } from "koa";
import type { CommandContext } from "../../commands/context";
import { authenticateSession, type SessionUser } from "../../commands/session";
import { DomainError } from "../../domain/errors";
import type { AppParts } from "../app-parts";
import { countAddress } from "../middleware/rate-limit";
import { readSessionCookie } from "./session-cookie";

/** A command context on a user's behalf, and who that is. */
export interface SessionRequest {
  ctx: CommandContext;
  user: SessionUser;
}

/**
 * Who asks, by the session's cookie alone: an API key opens nothing here.
 * @throws DomainError `unauthenticated`; `unavailable` before the database was reached.
 */
export async function sessionOf(koa: Context, parts: AppParts): Promise<SessionRequest> {
  const base = parts.context();
  if (base === null) throw new DomainError("unavailable", "The service is starting. Try again in a moment.");
  const { publicUrl } = base.settings;
  const user = await authenticateSession(base, readSessionCookie(koa, publicUrl));
  if (user === null) {
    await countAddress(koa, parts);
    // The cookie stays: another request may just be setting a new one.
    koa.set("WWW-Authenticate", 'Session realm="quittance"');
    throw new DomainError("unauthenticated", "Log in.");
  }
  return { ctx: { ...base, actor: { kind: "user", id: user.userId } }, user };
}

/**
 * For what an intruder at an open browser would do first.
 * @throws DomainError `reauthentication-needed` when the last password, code or passkey was given over ten minutes ago.
 */
export function requireSudo({ sudo }: SessionUser): void {
  if (!sudo)
    throw new DomainError("reauthentication-needed", "Confirm with your password, a code or a passkey.");
}
