import { normalisedPassword } from "../domain/password";
import { User } from "../entities/user";
import type { CommandContext } from "./context";
import { renewSession } from "./end-sessions";
import { lockUser } from "./login";
import { checkCode } from "./second-factor";
import type { SessionUser, StartedSession } from "./session";

/** A proof of who is at the browser: the password, or a code. */
export type Proof = { password: string } | { code: string };

/**
 * Confirms who is at the browser, for what an intruder there would do. The session goes on under another token. Null for
 * a wrong password or code.
 * @throws DomainError `unauthenticated` when the session was ended meanwhile.
 */
export async function reauthenticate(
  ctx: CommandContext,
  { userId, sessionId }: SessionUser,
  proof: Proof,
): Promise<StartedSession | null> {
  if ("password" in proof && !(await isPassword(ctx, userId, proof.password))) return null;
  return ctx.db.transaction(async (manager) => {
    const user = await lockUser(manager, userId);
    if (user === null) return null;
    if ("code" in proof && !(await checkCode(manager, ctx, user, proof.code))) return null;
    return renewSession(manager, ctx, sessionId);
  });
}

export async function isPassword(ctx: CommandContext, userId: string, password: string): Promise<boolean> {
  const user = await ctx.db.manager.findOneBy(User, { id: userId });
  return ctx.passwords.verify(user?.passwordHash ?? null, normalisedPassword(password));
}
