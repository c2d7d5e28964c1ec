import type { Context } from "koa";
import type { LoginLimit } from "../../adapters/login-limits";
import type { CommandContext } from "../../commands/context";
import type { RefusedAccount } from "../../commands/accounts/note-refusal";
import type { RefusalEvent } from "../../domain/account/refusal";
import type { SessionOrigin } from "../../commands/accounts/session";
import { networkOf, senderOf } from "../../domain/client-address";
import { DomainError } from "../../domain/errors";
import type { HttpParts } from "../http/parts";
import { addressOf } from "../http/middleware/rate-limit";
import { clientIp, noteRefused } from "../http/refused";
import { deviceCookie, hashOfEmail, readDevice } from "./known-browser";
import {
  clearSessionCookie,
  readCookie,
  readSessionCookie,
  setCookie,
  setSessionCookie,
} from "../http/session-cookie";

/** After a success: forgets the tries before it. */
export type Forget = () => Promise<void>;

export interface LoginGate {
  token: string;
  origin: SessionOrigin;
  keep(session: { token: string; expiresAt: Date }): void;
  clear(): void;
  /** From now on this browser's tries are counted separately. */
  recognise(email: string): void;
  /** Once per request. @throws DomainError `rate-limited` */
  countTry(): Promise<void>;
  /** Passwords. @throws DomainError `rate-limited` */
  countGuess(email: string): Promise<Forget>;
  /** @throws DomainError `rate-limited` */
  countCode(user: { userId: string; email: string }): Promise<Forget>;
  /** @throws DomainError `rate-limited` */
  countProof(user: { sessionId: string; userId: string }): Promise<Forget>;
  /** Each is a row. @throws DomainError `rate-limited` */
  countQuestion(user: { sessionId: string; userId: string }): Promise<void>;
  /** False when enough mails have been sent to the address. */
  mayMail(email: string): Promise<boolean>;
  /** @throws DomainError `rate-limited` */
  countInvitation(userId: string): Promise<void>;
  refused(event: RefusalEvent, account: RefusedAccount): void;
}

type Parts = Pick<HttpParts, "log" | "logins" | "metrics" | "publicUrl" | "trustedProxies">;
type Counts = "countTry" | "countGuess" | "countCode" | "countProof" | "countQuestion" | "countInvitation";

export function loginGateOf(koa: Context, parts: Parts, ctx: CommandContext): LoginGate {
  const { publicUrl, logins } = parts;
  const token = readSessionCookie(koa, publicUrl);

  const hashOf = (email: string): string => hashOfEmail(ctx, email);
  const deviceOf = (email: string): string | null =>
    readDevice(ctx, email, (name) => readCookie(koa, publicUrl, name));

  function refused(event: RefusalEvent, account: RefusedAccount): void {
    const unknownAs = account !== null && "email" in account ? hashOf(account.email) : "unknown";
    noteRefused(koa, { parts, ctx }, { event, account, unknownAs });
  }

  return {
    token,
    origin: { ip: clientIp(koa, parts), userAgent: koa.get("user-agent"), formerToken: token },
    keep: (session) => setSessionCookie(koa, publicUrl, session),
    clear: () => clearSessionCookie(koa, publicUrl),
    recognise(email) {
      // Survives logouts: it proves only an earlier login.
      setCookie(koa, publicUrl, deviceCookie(ctx, email, deviceOf(email)));
    },
    ...countsOf(koa, parts, { refused, deviceOf, hashOf }),
    mayMail: async (email) => (await logins.mail.take(hashOf(email))) === null,
    refused,
  };
}

interface Marks {
  refused: LoginGate["refused"];
  hashOf(email: string): string;
  deviceOf(email: string): string | null;
}

function countsOf(koa: Context, parts: Parts, { refused, hashOf, deviceOf }: Marks): Pick<LoginGate, Counts> {
  const { logins } = parts;
  const address = addressOf(koa, parts);
  const sender = senderOf(address);

  async function count(limit: LoginLimit, who: string, account?: RefusedAccount): Promise<void> {
    const tooMany = await limit.take(who);
    if (tooMany === null) return;
    const { retryAfterSeconds, first } = tooMany;
    // Once per window: further tries must not cost more.
    if (account !== undefined && first) refused("locked-out", account);
    koa.set("Retry-After", String(retryAfterSeconds));
    throw new DomainError("rate-limited", `Too many attempts. Try again in ${retryAfterSeconds} s.`);
  }

  async function countSender(): Promise<void> {
    await count(logins.address, sender, null);
    const network = networkOf(address);
    if (network !== null) await count(logins.network, network, null);
  }
  let counted: Promise<void> | null = null;
  const countTry = (): Promise<void> => (counted ??= countSender());

  return {
    countTry,
    async countGuess(email) {
      const who = { email };
      const device = deviceOf(email);
      if (device !== null) {
        // Tries from elsewhere do not lock the account for this browser, which has tries of its own.
        await count(logins.device, device, who);
        return () => Promise.resolve();
      }
      const account = hashOf(email);
      const pair = `${sender} ${account}`;
      await countTry();
      await count(logins.pair, pair, who);
      await count(logins.account, account, who);
      return async () => {
        await logins.pair.forget(pair);
        await logins.account.forget(account);
      };
    },
    async countCode({ userId, email }) {
      const device = deviceOf(email);
      const who = device === null ? userId : `${userId} ${device}`;
      await countTry();
      await count(logins.secondFactor, who, { userId });
      return () => logins.secondFactor.forget(who);
    },
    async countProof({ sessionId, userId }) {
      await count(logins.sudo, sessionId, { userId });
      return () => logins.sudo.forget(sessionId);
    },
    countQuestion: ({ sessionId, userId }) => count(logins.sudo, `${sessionId} passkey`, { userId }),
    countInvitation: (userId) => count(logins.invitation, userId),
  };
}
