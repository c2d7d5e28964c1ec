import { MoreThanOrEqual } from "typeorm";
import { normalisedEmail } from "../../domain/account/email";
import { hasSecondFactor, type Factors } from "../../domain/account/fresh-proof";
import { normalisedPassword } from "../../domain/account/password";
import { SECOND_FACTOR_FAILURES } from "../../domain/account/session-policy";
import { Session, type SessionStage } from "../../entities/session";
import { User } from "../../entities/user";
import type { CommandContext } from "../context";
import { changeAuthentic, ifAuthentic } from "../server/authentic-rows";
import { readFactors } from "./factors";
import { checkCode } from "./second-factor";
import { asUser, readSession, startSession, type SessionOrigin, type StartedSession } from "./session";
import { writeUserAudit } from "../server/write-audit";
import { inTransaction, reading, type Tx } from "../transaction";

/** `second-factor`: a code or a passkey is required next. */
export interface LoginSession extends StartedSession {
  user: { userId: string; email: string; admin: boolean };
  stage: SessionStage;
  factors: Factors;
}
/** Null for an unknown or disabled user, and for a row that is not authentic. */
export async function lockUser(tx: Tx, id: string): Promise<User | null> {
  const stored = await tx.manager.findOne(User, { where: { id }, lock: { mode: "pessimistic_write" } });
  const user = ifAuthentic(tx, User, stored);
  return user === null || user.disabledAt !== null ? null : user;
}

interface Entry {
  user: User;
  by: "password" | "link" | "code" | "passkey";
  origin: SessionOrigin;
  /** The admin who was shown the link, or set the password; null if only the user can give this proof. */
  linkShownTo?: string | null;
}

/** With a second factor, a password or a link is only the first step: every full session begins with a fresh proof. */
export async function enter(tx: Tx, { user, by, origin, linkShownTo = null }: Entry): Promise<LoginSession> {
  const factors = await readFactors(tx.manager, user);
  const half = hasSecondFactor(factors) && (by === "password" || by === "link");
  const stage = half ? "second-factor" : "full";
  const session = await startSession(tx, { userId: user.id, stage, origin, linkShownTo });
  const details = { by, ip: origin.ip, sessionId: session.sessionId };
  if (stage === "full")
    await writeUserAudit(asUser(tx, user.id, linkShownTo), "user.logged-in", user.id, details);
  const { id: userId, email, admin } = user;
  return { ...session, user: { userId, email, admin }, stage, factors };
}

/** Null for a wrong password, after the same time for an unknown or disabled user or one without a password. */
export async function logIn(
  ctx: CommandContext,
  { email, password, origin }: { email: string; password: string; origin: SessionOrigin },
): Promise<LoginSession | null> {
  const user = await ctx.db.manager.findOneBy(User, { email: normalisedEmail(email) });
  const hash = user?.passwordHash ?? null;
  const right = await ctx.passwords.verify(hash, normalisedPassword(password));
  if (!right || user === null || hash === null) return null;
  const renewed = (await ctx.passwords.isStale(hash))
    ? await ctx.passwords.hash(normalisedPassword(password))
    : hash;
  return inTransaction(ctx, async (tx) => {
    const locked = await lockUser(tx, user.id);
    // Changed while this one was checked: that ended all sessions.
    if (locked === null || locked.passwordHash !== hash) return null;
    if (renewed !== hash) await changeAuthentic(tx, User, locked, { passwordHash: renewed });
    const { linkShownTo } = locked;
    return enter(tx, { user: locked, by: "password", origin, linkShownTo });
  });
}

/** Null for a token that does not wait for a second factor. */
export async function awaitedUser(
  ctx: CommandContext,
  token: string,
): Promise<{ userId: string; email: string } | null> {
  const found = await readSession(reading(ctx), { token, stage: "second-factor" });
  return found && { userId: found.user.id, email: found.user.email };
}

/**
 * A code of the app, or a recovery code; null for a wrong one. After five the password is required again. A full
 * session replaces the waiting one.
 */
export async function giveSecondFactor(
  ctx: CommandContext,
  { token, code, origin }: { token: string; code: string; origin: SessionOrigin },
): Promise<LoginSession | null> {
  return inTransaction(ctx, async (tx) => {
    const found = await readSession(tx, { token, stage: "second-factor" });
    const user = found && (await lockUser(tx, found.user.id));
    if (found === null || user === null) return null;
    const { id, linkShownTo } = found.session;
    if (await checkCode(tx, user, code)) {
      // The same step was made twice at once.
      if ((await tx.manager.delete(Session, { id })).affected !== 1) return null;
      return enter(tx, { user, by: "code", origin, linkShownTo });
    }
    await tx.manager.increment(Session, { id }, "failures", 1);
    // A simultaneous wrong code may have deleted it already.
    await tx.manager.delete(Session, { id, failures: MoreThanOrEqual(SECOND_FACTOR_FAILURES) });
    return null;
  });
}
