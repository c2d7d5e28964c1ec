import { Not, type EntityManager } from "typeorm";
import { BEARER_TOKEN_BYTES, bearerToken, bearerTokenHash } from "../../domain/account/bearer-token";
import { DomainError } from "../../domain/errors";
import { Session } from "../../entities/session";
import type { CommandContext } from "../context";
import { changeAuthentic, isAuthentic } from "../server/authentic-rows";
import { asUser, type StartedSession } from "./session";
import { writeUserAudit } from "../server/write-audit";
import { inTransaction, type Tx } from "../transaction";

/** Returns how many ended, also of those that wait for a second factor. */
export async function dropSessions(
  manager: EntityManager,
  userId: string,
  butSessionId: string | null,
): Promise<number> {
  const others = butSessionId === null ? {} : { id: Not(butSessionId) };
  const { affected } = await manager.delete(Session, { userId, ...others });
  return affected ?? 0;
}

/** After a second factor was set up or the password was reset, the former proofs no longer suffice. */
export async function withdrawProofs(tx: Tx, userId: string, butSessionId: string | null): Promise<void> {
  const others = butSessionId === null ? {} : { id: Not(butSessionId) };
  const sessions = await tx.manager.find(Session, {
    where: { userId, ...others },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_write" },
  });
  for (const session of sessions)
    if (isAuthentic(tx, Session, session))
      await changeAuthentic(tx, Session, session, { authenticatedAt: new Date(0) });
}

/** A copy of the former token becomes worthless. `proven`: by a fresh proof. */
export async function renewSession(
  tx: Tx,
  { sessionId, proven }: { sessionId: string; proven: boolean },
): Promise<StartedSession> {
  const token = bearerToken(tx.randomBytes(BEARER_TOKEN_BYTES));
  const now = await tx.now();
  const session = await tx.manager.findOne(Session, {
    where: { id: sessionId },
    lock: { mode: "pessimistic_write" },
  });
  if (session === null) throw new DomainError("unauthenticated", "This session has ended. Log in again.");
  const { expiresAt } = await changeAuthentic(tx, Session, session, {
    tokenHash: bearerTokenHash(token),
    lastSeenAt: now,
    ...(proven ? { authenticatedAt: now } : {}),
  });
  return { sessionId, token, expiresAt };
}

export async function logOut(ctx: CommandContext, token: string): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const session = await tx.manager.findOneBy(Session, { tokenHash: bearerTokenHash(token) });
    if (session === null || (await tx.manager.delete(Session, { id: session.id })).affected !== 1) return;
    const { userId: subject, id: sessionId } = session;
    await writeUserAudit(asUser(tx, subject), "user.logged-out", subject, { sessionId });
  });
}

/** @throws DomainError `session-not-found` for a session that has ended or belongs to another user. */
export async function endSession(
  ctx: CommandContext,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const { affected } = await tx.manager.delete(Session, { id: sessionId, userId });
    if (affected !== 1) throw new DomainError("session-not-found", "Session not found.");
    await noteEnded(tx, { userId, count: 1 });
  });
}

/** Returns how many. */
export async function endOtherSessions(
  ctx: CommandContext,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<number> {
  return inTransaction(ctx, async (tx) => {
    const count = await dropSessions(tx.manager, userId, sessionId);
    if (count > 0) await noteEnded(tx, { userId, count });
    return count;
  });
}

async function noteEnded(tx: Tx, { userId, count }: { userId: string; count: number }): Promise<void> {
  await writeUserAudit(tx, "user.sessions-ended", userId, { count });
}
