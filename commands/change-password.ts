import type { EntityManager } from "typeorm";
import { DomainError } from "../domain/errors";
import { checkedPassword } from "../domain/password";
import { Passkey } from "../entities/passkey";
import { User } from "../entities/user";
import { UserLink } from "../entities/user-link";
import type { CommandContext } from "./context";
import { dropSessions, renewSession } from "./end-sessions";
import { isPassword } from "./reauthenticate";
import type { SessionUser, StartedSession } from "./session";
import { writeAudit } from "./write-audit";

/** Another password ends what the former one opened: the other sessions, and links that were not used. */
export async function writePassword(
  manager: EntityManager,
  ctx: CommandContext,
  {
    userId,
    passwordHash,
    butSessionId,
  }: { userId: string; passwordHash: string; butSessionId: string | null },
): Promise<void> {
  await manager.update(User, { id: userId }, { passwordHash });
  const sessionsEnded = await dropSessions(manager, userId, butSessionId);
  await manager.delete(UserLink, { userId });
  await writeAudit(manager, ctx, {
    action: "user.password-set",
    storeId: null,
    subject: userId,
    details: { sessionsEnded },
  });
}

/**
 * Sets another password. It is confirmed by the present one, or by whatever was given a moment ago; who came in by a link
 * alone has nothing to confirm it with. The other sessions end, and this one goes on under another token. Null for a
 * wrong present password.
 * @throws DomainError `validation-failed` at `/password`; `reauthentication-needed`; `unauthenticated` when the session
 * was ended meanwhile.
 */
export async function changePassword(
  ctx: CommandContext,
  user: SessionUser,
  { currentPassword, password }: { currentPassword?: string; password: string },
): Promise<StartedSession | null> {
  const { userId, sessionId } = user;
  const { email, passwordHash: former } = await ctx.db.manager.findOneByOrFail(User, { id: userId });
  const checked = await checkedPassword(password, email);
  if (currentPassword === undefined) await checkConfirmed(ctx, user, former);
  else if (!(await isPassword(ctx, userId, currentPassword))) return null;
  const passwordHash = await ctx.passwords.hash(checked);
  return ctx.db.transaction(async (manager) => {
    const locked = await manager.findOne(User, {
      where: { id: userId },
      lock: { mode: "pessimistic_write" },
    });
    // Another one was set while these were checked.
    if (locked?.passwordHash !== former) return null;
    await writePassword(manager, ctx, { userId, passwordHash, butSessionId: sessionId });
    return renewSession(manager, ctx, sessionId);
  });
}

async function checkConfirmed(
  { db: { manager } }: CommandContext,
  { userId, sudo }: SessionUser,
  passwordHash: string | null,
): Promise<void> {
  if (sudo || (passwordHash === null && !(await manager.existsBy(Passkey, { userId })))) return;
  throw new DomainError("reauthentication-needed", "Confirm with your password, a code or a passkey.");
}
