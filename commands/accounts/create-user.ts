import { IsNull, Not } from "typeorm";
import { checkedEmail } from "../../domain/account/email";
import { invalidField } from "../../domain/errors";
import { User } from "../../entities/user";
import { UserLink } from "../../entities/user-link";
import type { CommandContext } from "../context";
import { changeAuthentic } from "../server/authentic-rows";
import { insertUser } from "./insert-user";
import { makeUserLink } from "./user-links";
import { writeUserAudit } from "../server/write-audit";
import { inTransaction, type Tx } from "../transaction";

export async function hasNoUser({ db }: CommandContext): Promise<boolean> {
  return !(await db.manager.exists(User));
}

/**
 * The link is shown only now, and valid once. An unused link that expired becomes invalid for a new one.
 * @throws DomainError `validation-failed` at `/email`: not an address, or that of a user who has logged in already.
 */
export async function createUser(ctx: CommandContext, input: { email: string; admin?: boolean }) {
  const email = checkedEmail(input.email);
  return inTransaction(ctx, async (tx) => {
    // Somebody must be able to create stores and users.
    const wished = (input.admin ?? false) || !(await tx.manager.exists(User));
    const user = (await insertUser(tx, { email, admin: wished })) ?? (await neverLoggedIn(tx, email, wished));
    const { id: userId, admin } = user;
    await writeUserAudit(tx, "user.created", userId, { email, admin });
    await tx.manager.delete(UserLink, { userId });
    return { userId, ...(await makeUserLink(tx, { userId, kind: "setup" })) };
  });
}

/** @throws DomainError `validation-failed` at `/email` */
async function neverLoggedIn(tx: Tx, email: string, admin: boolean): Promise<User> {
  const user = await tx.manager.findOne(User, {
    where: { email, passwordHash: IsNull(), disabledAt: IsNull() },
    lock: { mode: "pessimistic_write" },
  });
  if (user === null || (await tx.manager.existsBy(UserLink, { userId: user.id, usedAt: Not(IsNull()) })))
    throw invalidField("/email", "A user with this e-mail address already exists.");
  return admin && !user.admin ? changeAuthentic(tx, User, user, { admin }) : user;
}
