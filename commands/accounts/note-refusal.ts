import { normalisedEmail } from "../../domain/account/email";
import type { RefusalEvent } from "../../domain/account/refusal";
import { Passkey } from "../../entities/passkey";
import { User } from "../../entities/user";
import type { CommandContext } from "../context";
import { writeUserAudit } from "../server/write-audit";
import { inTransaction } from "../transaction";

export type RefusedAccount = { email: string } | { userId: string } | { credentialId: string } | null;

export interface Refusal {
  event: RefusalEvent;
  ip: string;
  requestId: string;
  account: RefusedAccount;
  /** For an unknown account: a keyed hash, or an API key's prefix. */
  unknownAs: string;
  /** Anonymous attempts must not fill the audit log. */
  mayAudit: (userId: string) => Promise<boolean>;
}

/**
 * A log line of fixed form (docs/fail2ban), and an audit entry for a known user, in parallel with the answer: neither
 * text nor time reveals whether the account exists.
 */
export async function noteRefusal(ctx: CommandContext, refusal: Refusal): Promise<void> {
  const { event, ip, requestId, account, unknownAs, mayAudit } = refusal;
  const userId = await userOf(ctx, account).catch(() => null);
  ctx.log.warn({ ip, event, account: userId ?? unknownAs, requestId }, "auth: refused");
  if (userId === null || event === "key-refused" || !(await mayAudit(userId))) return;
  await inTransaction(ctx, (tx) => writeUserAudit(tx, `user.${event}`, userId, { ip }));
}

async function userOf({ db: { manager } }: CommandContext, account: RefusedAccount): Promise<string | null> {
  if (account === null) return null;
  if ("userId" in account) return account.userId;
  if ("credentialId" in account) {
    const { credentialId } = account;
    return (await manager.findOneBy(Passkey, { credentialId }))?.userId ?? null;
  }
  return (await manager.findOneBy(User, { email: normalisedEmail(account.email) }))?.id ?? null;
}
