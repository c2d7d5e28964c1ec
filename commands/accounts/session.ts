import { In, MoreThan } from "typeorm";
import { BEARER_TOKEN_BYTES, bearerToken, bearerTokenHash } from "../../domain/account/bearer-token";
import {
  isSudo,
  LAST_SEEN_PRECISION_MS,
  SECOND_FACTOR_MS,
  SESSION_LIFETIME_MS,
  sessionEnded,
} from "../../domain/account/session-policy";
import { Session, type SessionStage } from "../../entities/session";
import { User } from "../../entities/user";
import type { CommandContext } from "../context";
import { ifAuthentic, insertAuthentic } from "../server/authentic-rows";
import { deleteOldSessions } from "./queries";
import { type Reading, reading, type Tx } from "../transaction";

export interface SessionOrigin {
  ip: string;
  /** Cut to 300 characters. */
  userAgent: string;
  /** The browser's former session, which ends with the new one. */
  formerToken?: string;
}

/** The token is sent to the browser once: only its hash is stored. */
export interface StartedSession {
  sessionId: string;
  token: string;
  expiresAt: Date;
}

export interface SessionUser {
  sessionId: string;
  userId: string;
  email: string;
  admin: boolean;
  /** Null if only the user can have begun the session. */
  linkShownTo: string | null;
  /** A fresh proof within the last ten minutes that was not withdrawn. */
  sudo: boolean;
}

const USER_AGENT_LENGTH = 300;

export const asUser = <By extends Pick<CommandContext, "actor">>(
  by: By,
  userId: string,
  linkShownTo: string | null = null,
): By => ({
  ...by,
  actor: { kind: "user", id: userId, ...(linkShownTo === null ? {} : { linkShownTo }) },
});

/** A token from the request is never adopted, and its session ends. */
export async function startSession(
  tx: Tx,
  {
    userId,
    stage,
    origin,
    linkShownTo = null,
  }: { userId: string; stage: SessionStage; origin: SessionOrigin; linkShownTo?: string | null },
): Promise<StartedSession> {
  const token = bearerToken(tx.randomBytes(BEARER_TOKEN_BYTES));
  const now = await tx.now();
  const lifetimeMs = stage === "full" ? SESSION_LIFETIME_MS : SECOND_FACTOR_MS;
  const session = {
    id: tx.newId("ses"),
    tokenHash: bearerTokenHash(token),
    userId,
    stage,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: new Date(now.getTime() + lifetimeMs),
    authenticatedAt: now,
    ip: origin.ip,
    failures: 0,
    linkShownTo,
    // Half a surrogate pair cannot be stored.
    userAgent: [...origin.userAgent].slice(0, USER_AGENT_LENGTH).join("").replace(/\0/g, ""),
  };
  await insertAuthentic(tx, Session, [session]);
  if (origin.formerToken)
    await tx.manager.delete(Session, { tokenHash: bearerTokenHash(origin.formerToken) });
  await deleteOldSessions(tx.manager, userId, stage);
  return { sessionId: session.id, token, expiresAt: session.expiresAt };
}

/** Null for an unknown or ended session, and of a disabled user. */
export async function readSession(
  from: Reading,
  { token, stage }: { token: string; stage: SessionStage },
): Promise<{ session: Session; user: User; now: Date } | null> {
  const stored = await from.manager.findOneBy(Session, { tokenHash: bearerTokenHash(token), stage });
  const session = ifAuthentic(from, Session, stored);
  if (session === null) return null;
  const now = await from.now();
  const user = ifAuthentic(from, User, await from.manager.findOneBy(User, { id: session.userId }));
  if (user === null || user.disabledAt !== null || sessionEnded(session, now)) return null;
  return { session, user, now };
}

/** Null without the reason. Nothing is cached: every process refuses an ended session at once. */
export async function authenticateSession(ctx: CommandContext, token: string): Promise<SessionUser | null> {
  const found = token === "" ? null : await readSession(reading(ctx), { token, stage: "full" });
  if (found === null) return null;
  const { session, user, now } = found;
  if (now.getTime() - session.lastSeenAt.getTime() >= LAST_SEEN_PRECISION_MS)
    await ctx.db.manager.update(Session, { id: session.id }, { lastSeenAt: now });
  return {
    sessionId: session.id,
    userId: user.id,
    email: user.email,
    admin: user.admin,
    linkShownTo: session.linkShownTo,
    sudo: isSudo(session.authenticatedAt, now),
  };
}

export interface ListedSession {
  session: Session;
  linkShownTo: string | null;
}

export async function listSessions(ctx: CommandContext, userId: string): Promise<ListedSession[]> {
  const { manager } = ctx.db;
  const now = await ctx.now(manager);
  const sessions = await manager.find(Session, {
    where: { userId, stage: "full", expiresAt: MoreThan(now) },
    order: { lastSeenAt: "DESC", id: "ASC" },
  });
  const id = In(sessions.flatMap(({ linkShownTo }) => linkShownTo ?? []));
  const admins = await manager.find(User, { select: { id: true, email: true }, where: { id } });
  const emails = new Map(admins.map((admin) => [admin.id, admin.email]));
  return sessions
    .filter((session) => !sessionEnded(session, now))
    .map((session) => ({
      session,
      linkShownTo: emails.get(session.linkShownTo ?? "") ?? session.linkShownTo,
    }));
}
