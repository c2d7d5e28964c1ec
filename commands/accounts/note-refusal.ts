import { normalisedEmail } from "../../domain/account/email";
import type { RefusalEvent } from "../../domain/account/refusal";
import { Passkey } from "../../entities/passkey";
import { User } from "../../entities/user";
import type { CommandContext } from "../context";
import { writeAudit } from "../server/write-audit";

/** What identifies the account, if anything does. */
export type RefusedAccount = { email: string } | { userId: string } | { credentialId: string } | null;

export interface Refusal {
  event: RefusalEvent;
  /** The client's address. */
  ip: string;
  requestId: string;
  account: RefusedAccount;
  /** How the log names an account that is not known: a keyed hash, or an API key's prefix. */
  unknownAs: string;
  /** Whether another entry about a user may be written to the audit log: anonymous attempts must not fill it. */
  mayAudit: (userId: string) => Promise<boolean>;
}

/**
 * Records a refusal: one line in the log, whose form is fixed (docs/fail2ban), and one in the audit log of a known
 * user. It runs in parallel with the answer, which reveals neither by text nor by time whether the account exists.
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
  return (await manager.findOneBy(User, { email: normalisedEmail(account.email) }))?.id ?? null;
}
