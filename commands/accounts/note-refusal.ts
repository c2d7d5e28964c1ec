import { Passkey } from "../../entities/passkey";
import { User } from "../../entities/user";
import type { CommandContext } from "../context";
import { writeAudit } from "../server/write-audit";

/** What is refused to whoever tries to come in, or to confirm who it is. */
export const REFUSAL_EVENTS = [
  "login-failed",
  "code-failed",
  "passkey-failed",
  "proof-refused",
  "key-refused",
  "locked-out",
] as const;
export type RefusalEvent = (typeof REFUSAL_EVENTS)[number];

/** By what the account is known, if at all. */
export type RefusedAccount = { email: string } | { userId: string } | { credentialId: string } | null;

export interface Refusal {
  event: RefusalEvent;
  /** The client's address. */
  ip: string;
  requestId: string;
  account: RefusedAccount;
  /** What the log says of an account that is not known: a keyed hash, or an API key's prefix. */
  unknownAs: string;
  /** Whether one more line of the audit log may be written about a user: whoever tries must not fill it. */
  mayAudit: (userId: string) => Promise<boolean>;
}

/**
 * Notes a refusal: one line in the log, whose form is fixed (docs/fail2ban), and one in the audit log of a known user.
 * It is called beside the answer, which tells neither by its words nor by its time who is here.
 */
export async function noteRefusal(ctx: CommandContext, refusal: Refusal): Promise<void> {
  const { event, ip, requestId, account, unknownAs, mayAudit } = refusal;
  const userId = await userOf(ctx, account).catch(() => null);
  ctx.log.warn({ ip, event, account: userId ?? unknownAs, requestId }, "auth: refused");
  if (userId === null || event === "key-refused" || !(await mayAudit(userId))) return;
  await writeAudit(ctx.db.manager, ctx, {
    action: `user.${event}`,
    storeId: null,
    subject: userId,
    details: { ip },
  });
}

async function userOf({ db: { manager } }: CommandContext, account: RefusedAccount): Promise<string | null> {
  if (account === null) return null;
  if ("userId" in account) return account.userId;
  if ("credentialId" in account) {
    const { credentialId } = account;
    return (await manager.findOneBy(Passkey, { credentialId }))?.userId ?? null;
  }
  return (await manager.findOneBy(User, { email: account.email.trim().toLowerCase() }))?.id ?? null;
}
