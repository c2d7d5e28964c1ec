import { createHash } from "node:crypto";
import type { Context } from "koa";
import type { LoginLimit } from "../../adapters/login-limits";
import type { SessionOrigin } from "../../commands/session";
import { clientAddress, senderOf } from "../../domain/client-address";
import { DomainError } from "../../domain/errors";
import type { AppParts } from "../app-parts";
import { clearSessionCookie, readSessionCookie, setSessionCookie } from "./session-cookie";

/** After a success: the tries before it are forgotten. */
export type Forget = () => Promise<void>;

/** What the ways in have of a request, and what they leave in the browser. */
export interface Door {
  /** Of the session's cookie; empty where there is none. */
  token: string;
  origin: SessionOrigin;
  keep(session: { token: string; expiresAt: Date }): void;
  clear(): void;
  /** Counts a try to come in. @throws DomainError `rate-limited` */
  countTry(): Promise<void>;
  /** Counts a try to guess an account's password. @throws DomainError `rate-limited` */
  countGuess(email: string): Promise<Forget>;
  /** Counts a try to guess a user's code. @throws DomainError `rate-limited` */
  countCode(userId: string): Promise<Forget>;
  /** Counts a mail; false when an address has been sent enough of them. */
  mayMail(email: string): Promise<boolean>;
  /** Counts an invitation by a user. @throws DomainError `rate-limited` */
  countInvitation(userId: string): Promise<void>;
}

/** An address as it is counted: nobody's address stands in a table of counts. */
const countedAs = (email: string): string =>
  createHash("sha256").update(email.trim().toLowerCase()).digest("base64url");

export function doorOf(koa: Context, { publicUrl, trustedProxies, logins }: AppParts): Door {
  const { remoteAddress = "" } = koa.req.socket;
  const address = clientAddress(remoteAddress, koa.get("x-forwarded-for"), trustedProxies);
  const sender = senderOf(address);

  async function count(limit: LoginLimit, who: string): Promise<void> {
    const retryAfterSeconds = await limit.take(who);
    if (retryAfterSeconds === null) return;
    koa.set("Retry-After", String(retryAfterSeconds));
    throw new DomainError("rate-limited", `Too many tries. Try again in ${retryAfterSeconds} s.`);
  }

  return {
    token: readSessionCookie(koa, publicUrl),
    origin: { ip: address?.toString() ?? "unknown", userAgent: koa.get("user-agent") },
    keep: (session) => setSessionCookie(koa, publicUrl, session),
    clear: () => clearSessionCookie(koa, publicUrl),
    countTry: () => count(logins.address, sender),
    async countGuess(email) {
      const account = countedAs(email);
      const pair = `${sender} ${account}`;
      await count(logins.address, sender);
      await count(logins.pair, pair);
      await count(logins.account, account);
      return async () => {
        await logins.pair.forget(pair);
        await logins.account.forget(account);
      };
    },
    async countCode(userId) {
      await count(logins.address, sender);
      await count(logins.secondFactor, userId);
      return () => logins.secondFactor.forget(userId);
    },
    mayMail: async (email) => (await logins.mail.take(countedAs(email))) === null,
    countInvitation: (userId) => count(logins.invitation, userId),
  };
}
