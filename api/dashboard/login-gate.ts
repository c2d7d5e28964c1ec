import type { Context } from "koa";
import type { LoginLimit } from "../../adapters/login-limits";
import type { CommandContext } from "../../commands/context";
import type { RefusedAccount } from "../../commands/accounts/note-refusal";
import type { RefusalEvent } from "../../domain/account/refusal";
import type { SessionUser } from "../../commands/accounts/session";
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

type Parts = Pick<HttpParts, "log" | "logins" | "metrics" | "publicUrl" | "trustedProxies">;

export type LoginGate = ReturnType<typeof loginGateOf>;

export function loginGateOf(koa: Context, parts: Parts, ctx: CommandContext) {
  const { publicUrl } = parts;
  const token = readSessionCookie(koa, publicUrl);
  const deviceOf = (email: string): string | null =>
    readDevice(ctx, email, (name) => readCookie(koa, publicUrl, name));
  const hashOf = (email: string): string => hashOfEmail(ctx, email);

  function refused(event: RefusalEvent, account: RefusedAccount): void {
    const unknownAs = account !== null && "email" in account ? hashOf(account.email) : "unknown";
    noteRefused(koa, { parts, ctx }, { event, account, unknownAs });
  }

  return {
    token,
    origin: { ip: clientIp(koa, parts), userAgent: koa.get("user-agent"), formerToken: token },
    keep: (session: { token: string; expiresAt: Date }) => setSessionCookie(koa, publicUrl, session),
    clear: () => clearSessionCookie(koa, publicUrl),
    /** From now on this browser's tries are counted separately. It survives logouts: it proves only an earlier login. */
    recognise: (email: string) => setCookie(koa, publicUrl, deviceCookie(ctx, email, deviceOf(email))),
    ...countsOf(koa, parts, { refused, deviceOf, hashOf }),
    refused,
  };
}

interface Marks {
  refused(event: RefusalEvent, account: RefusedAccount): void;
  hashOf(email: string): string;
  deviceOf(email: string): string | null;
}

function counter(koa: Context, refused: Marks["refused"]) {
  return async (limit: LoginLimit, who: string, account?: RefusedAccount): Promise<void> => {
    const tooMany = await limit.take(who);
    if (tooMany === null) return;
    const { retryAfterSeconds, first } = tooMany;
    // Once per window: further tries must not cost more.
    if (account !== undefined && first) refused("locked-out", account);
    koa.set("Retry-After", String(retryAfterSeconds));
    throw new DomainError("rate-limited", `Too many attempts. Try again in ${retryAfterSeconds} s.`);
  };
}

/**
 * Each throws DomainError `rate-limited`. What counts a proof returns what forgets the tries before it, after a success.
 */
function countsOf(koa: Context, parts: Parts, { refused, hashOf, deviceOf }: Marks) {
  const { logins } = parts;
  const address = addressOf(koa, parts);
  const sender = senderOf(address);

  const count = counter(koa, refused);
  async function countSender(): Promise<void> {
    await count(logins.address, sender, null);
    const network = networkOf(address);
    if (network !== null) await count(logins.network, network, null);
  }
  let counted: Promise<void> | null = null;
  /** Once per request. */
  const countTry = (): Promise<void> => (counted ??= countSender());

  return {
    countTry,
    /** Passwords. */
    async countGuess(email: string): Promise<() => Promise<void>> {
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
    async countCode({ userId, email }: { userId: string; email: string }) {
      const device = deviceOf(email);
      const who = device === null ? userId : `${userId} ${device}`;
      await countTry();
      await count(logins.secondFactor, who, { userId });
      return () => logins.secondFactor.forget(who);
    },
    async countProof({ sessionId, userId }: SessionName) {
      await count(logins.sudo, sessionId, { userId });
      return () => logins.sudo.forget(sessionId);
    },
    /** Each is a row. */
    countQuestion: ({ sessionId, userId }: SessionName) =>
      count(logins.sudo, `${sessionId} passkey`, { userId }),
    countInvitation: (userId: string) => count(logins.invitation, userId),
    /** False when enough mails have been sent to the address. */
    mayMail: async (email: string) => (await logins.mail.take(hashOf(email))) === null,
  };
}

type SessionName = Pick<SessionUser, "sessionId" | "userId">;
