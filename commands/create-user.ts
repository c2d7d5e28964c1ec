import { checkedEmail } from "../domain/email";
import { invalidField } from "../domain/errors";
import { UserLink } from "../entities/user-link";
import type { CommandContext } from "./context";
import { makeUserLink } from "./user-links";
import { writeAudit } from "./write-audit";

export interface CreateUserInput {
  email: string;
  /** Whether the user may see the whole server and not only stores. */
  admin?: boolean;
}

/** A user, and the link by which that person sets a password: shown now and never again, good for once. */
export interface CreatedUser {
  userId: string;
  url: string;
  expiresAt: Date;
}

/**
 * Makes a user who comes in by a one-time link. Somebody whose link ran out unused is given a new one, and the old
 * one is void.
 * @throws DomainError `validation-failed` at `/email`: no address, or that of a user who has come in already.
 */
export async function createUser(ctx: CommandContext, input: CreateUserInput): Promise<CreatedUser> {
  const email = checkedEmail(input.email);
  const admin = input.admin ?? false;
  return ctx.db.transaction(async (manager) => {
    const [row] = await manager.query<{ id: string }[]>(
      `INSERT INTO users (id, email, admin) VALUES ($1, $2, $3)
       ON CONFLICT (email) DO UPDATE SET admin = users.admin OR excluded.admin
         WHERE users.password_hash IS NULL AND users.disabled_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM user_links link WHERE link.user_id = users.id AND link.used_at IS NOT NULL)
       RETURNING id`,
      [ctx.newId("usr"), email, admin],
    );
    if (row === undefined) throw invalidField("/email", "There is already a user with this address.");
    const { id: userId } = row;
    await writeAudit(manager, ctx, {
      action: "user.created",
      storeId: null,
      subject: userId,
      details: { email, admin },
    });
    await manager.delete(UserLink, { userId });
    return { userId, ...(await makeUserLink(manager, ctx, { userId, kind: "setup" })) };
  });
}
