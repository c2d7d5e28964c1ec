import { DomainError } from "../../domain/errors";
import { passwordSuffices } from "../../domain/account/fresh-proof";
import { checkedPassword, normalisedPassword } from "../../domain/account/password";
import { Session } from "../../entities/session";
import { User } from "../../entities/user";
import { UserLink } from "../../entities/user-link";
import type { CommandContext } from "../context";
import { changeAuthentic } from "../server/authentic-rows";
import { dropSessions, renewSession, withdrawProofs } from "./end-sessions";
import { readFactors } from "./factors";
import { mailFactorChange } from "./mail-factor-change";
import type { SessionUser, StartedSession } from "./session";
import { writeUserAudit } from "../server/write-audit";
import { inTransaction, type Tx } from "../transaction";

/**
 * Ends the other sessions and unused links of a locked user. After a reset (`keepsRest`) only logins that wait for
 * their second step end: the mail alone proves too little.
 */
export async function writePassword(
  tx: Tx,
  {
    user,
    passwordHash,
    linkShownTo,
    ...rest
  }: { user: User; passwordHash: string; linkShownTo: string | null } & (
    { butSessionId: string | null } | { keepsRest: true }
  ),
): Promise<User> {
  const { id: userId } = user;
  const changed = await changeAuthentic(tx, User, user, { passwordHash, linkShownTo });
  const waiting = await tx.manager.delete(Session, { userId, stage: "second-factor" });
  const ended = "keepsRest" in rest ? 0 : await dropSessions(tx.manager, userId, rest.butSessionId);
  const sessionsEnded = (waiting.affected ?? 0) + ended;
  if ("keepsRest" in rest) await withdrawProofs(tx, userId, null);
  else await tx.manager.delete(UserLink, { userId });
  await writeUserAudit(tx, "user.password-set", userId, { sessionsEnded });
  return changed;
}

/**
 * Needs a fresh proof: the present password suffices only without a second factor, and an account with neither needs
 * none. The other sessions end; this one gets a new token. Null for a wrong present password.
 * @throws DomainError `validation-failed` at `/password`; `reauthentication-needed`; `unauthenticated` when the session
 * was ended meanwhile.
 */
export async function changePassword(
  ctx: CommandContext,
  user: SessionUser,
  { currentPassword, password }: { currentPassword?: string; password: string },
): Promise<StartedSession | null> {
  const { userId, sessionId } = user;
  const { manager: outside } = ctx.db;
  const before = await outside.findOneByOrFail(User, { id: userId });
  const { email, passwordHash: former } = before;
  const checked = checkedPassword(password, email, await ctx.passwords.judge());
  const factors = await readFactors(outside, before);
  const proven = currentPassword !== undefined && passwordSuffices(factors);
  const nothingToProve = !factors.password && !factors.totp && !factors.passkey;
  if (!user.sudo && !proven && !nothingToProve)
    throw new DomainError("reauthentication-needed", "Confirm that it's you first.");
  const given = currentPassword === undefined ? null : normalisedPassword(currentPassword);
  if (given !== null && !(await ctx.passwords.verify(former, given))) return null;
  const passwordHash = await ctx.passwords.hash(checked);
  const renewed = await inTransaction(ctx, async (tx) => {
    const locked = await tx.manager.findOne(User, {
      where: { id: userId },
      lock: { mode: "pessimistic_write" },
    });
    // The password was changed while this one was checked.
    if (locked?.passwordHash !== former) return null;
    const { linkShownTo } = user;
    await writePassword(tx, { user: locked, passwordHash, linkShownTo, butSessionId: sessionId });
    return renewSession(tx, { sessionId, proven });
  });
  if (renewed !== null && former !== null) void mailFactorChange(ctx, userId, "password-changed");
  return renewed;
}
