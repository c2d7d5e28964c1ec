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
 * Sets another password, with the present one where there is one. Who came in by a link alone has nothing to confirm it
 * with. The other sessions end, and this one goes on under another token. Null for a wrong present password.
 * @throws DomainError `validation-failed` at `/password`; `reauthentication-needed` for somebody without a password who
 * has a passkey to confirm it with; `unauthenticated` when the session was ended meanwhile.
 */
export async function changePassword(
  ctx: CommandContext,
  { userId, sessionId, sudo }: SessionUser,
  { currentPassword, password }: { currentPassword?: string; password: string },
): Promise<StartedSession | null> {
  const { manager } = ctx.db;
  const { email, passwordHash: former } = await manager.findOneByOrFail(User, { id: userId });
  const checked = checkedPassword(password, email);
  if (former === null) {
    if (!sudo && (await manager.existsBy(Passkey, { userId })))
      throw new DomainError("reauthentication-needed", "Confirm with a passkey.");
  } else if (!(await isPassword(ctx, userId, currentPassword ?? ""))) return null;
  const passwordHash = await ctx.passwords.hash(checked);
  return ctx.db.transaction(async (inside) => {
    const locked = await inside.findOne(User, { where: { id: userId }, lock: { mode: "pessimistic_write" } });
    // Another one was set while these were checked.
    if (locked?.passwordHash !== former) return null;
    await writePassword(inside, ctx, { userId, passwordHash, butSessionId: sessionId });
    return renewSession(inside, ctx, sessionId);
  });
}
