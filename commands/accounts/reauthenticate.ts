import { checkProofSuffices } from "../../domain/account/fresh-proof";
import { normalisedPassword } from "../../domain/account/password";
import { User } from "../../entities/user";
import type { CommandContext } from "../context";
import { renewSession } from "./end-sessions";
import { readFactors } from "./factors";
import { lockUser } from "./login";
import { checkCode } from "./second-factor";
import type { SessionUser, StartedSession } from "./session";
import { inTransaction } from "../transaction";

/**
 * The session continues under a new token. Null for a wrong password or code; `checkProofSuffices` says what is
 * required.
 * @throws DomainError `validation-failed` when a factor of the account is missing; `unauthenticated` when the session
 * was ended meanwhile.
 */
export async function reauthenticate(
  ctx: CommandContext,
  { userId, sessionId }: SessionUser,
  proof: { password?: string | undefined; code?: string | undefined },
): Promise<StartedSession | null> {
  const { manager: outside } = ctx.db;
  const asked = await outside.findOneByOrFail(User, { id: userId });
  checkProofSuffices(await readFactors(outside, asked), proof);
  const { password } = proof;
  if (
    password !== undefined &&
    !(await ctx.passwords.verify(asked.passwordHash, normalisedPassword(password)))
  )
    return null;
  return inTransaction(ctx, async (tx) => {
    const user = await lockUser(tx, userId);
    if (user === null) return null;
    // They may have changed while the password was checked.
    const factors = await readFactors(tx.manager, user);
    checkProofSuffices(factors, proof);
    if (user.passwordHash !== asked.passwordHash) return null;
    if (factors.totp && !(await checkCode(tx, user, proof.code ?? ""))) return null;
    return renewSession(tx, { sessionId, proven: true });
  });
}
