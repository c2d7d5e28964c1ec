import { User } from "../../entities/user";
import type { CommandContext } from "../context";
import { mailFailure } from "../server/mailing";

const WHAT = {
  "password-changed": "The password was changed",
  "totp-enabled": "An authenticator app was set up",
  "totp-disabled": "The authenticator app was turned off",
  "recovery-codes-made": "New recovery codes were made",
  "passkey-added": "A passkey was added",
  "passkey-removed": "A passkey was removed",
  "second-factor-dropped": "The authenticator app and the passkeys were removed by a server admin",
} as const;

type FactorChange = keyof typeof WHAT;

/**
 * An intruder would make such a change. Sent after the commit, in parallel with the answer; never fails; logged without
 * the address.
 */
export async function mailFactorChange(
  ctx: CommandContext,
  userId: string,
  change: FactorChange,
): Promise<void> {
  if (ctx.sendMail === null) return;
  try {
    const { manager } = ctx.db;
    const { email } = await manager.findOneByOrFail(User, { id: userId });
    const at = (await ctx.now(manager)).toISOString();
    const { publicUrl } = ctx.settings;
    const text = `${WHAT[change]} for the account ${email} at ${at}.

If it was you, you need do nothing. If not, set a new password with "Forgot your password?" at ${publicUrl}/login, check the sessions and passkeys at ${publicUrl}/account, and inform the operator of this server.
`;
    await ctx.sendMail({ to: email, subject: `[Quittance] ${WHAT[change]}`, text });
  } catch (error) {
    const { cause } = mailFailure(error);
    ctx.log.warn({ change, userId, cause }, "mail: notice of a changed factor not sent");
  }
}
