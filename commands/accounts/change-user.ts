import type { KeptOrDeleted } from "../../domain/account/kept-or-deleted";
import { DomainError } from "../../domain/errors";
import { User } from "../../entities/user";
import type { CommandContext } from "../context";
import { changeAuthentic } from "../server/authentic-rows";
import { dropSessions } from "./end-sessions";
import { dropMade } from "../stores/creators";
import { withdrawInvitations } from "./store-invitations";
import { writeUserAudit } from "../server/write-audit";
import { inTransaction } from "../transaction";

export interface UserChange {
  admin?: boolean;
  disabled?: boolean;
  /** For a user who is disabled or no longer an admin: their keys and webhooks in all stores. */
  keysAndWebhooks?: KeptOrDeleted;
}

/**
 * All the user's sessions end: they were opened with the former rights.
 * @throws DomainError `user-not-found`; `last-owner` when no admin who can log in would be left.
 */
export async function changeUser(ctx: CommandContext, userId: string, change: UserChange): Promise<User> {
  return inTransaction(ctx, async (tx) => {
    // In one order: if two admins remove each other's rights, one waits for the other.
    const admins = await tx.manager.find(User, {
      where: { admin: true },
      order: { id: "ASC" },
      lock: { mode: "pessimistic_write" },
    });
    const before = await tx.manager.findOne(User, {
      where: { id: userId },
      lock: { mode: "pessimistic_write" },
    });
    if (before === null) throw new DomainError("user-not-found", "User not found.");
    const wasDisabled = before.disabledAt !== null;
    const { admin = before.admin, disabled = wasDisabled } = change;
    if (admin === before.admin && disabled === wasDisabled) return before;
    // A user who was only invited may never log in.
    const others = admins.filter(
      ({ id, disabledAt, passwordHash }) => id !== userId && disabledAt === null && passwordHash !== null,
    );
    if (before.admin && !wasDisabled && (!admin || disabled) && others.length === 0)
      throw new DomainError(
        "last-owner",
        "This is the last server admin who can log in. Make another user an admin first.",
      );
    const disabledAt = disabled ? (before.disabledAt ?? (await tx.now())) : null;
    const changed = await changeAuthentic(tx, User, before, { admin, disabledAt });
    const less = disabled || (before.admin && !admin);
    if (less) await withdrawInvitations(tx, { createdByUserId: userId });
    const deleted =
      less && change.keysAndWebhooks === "delete"
        ? { deleted: await dropMade(tx, { userId, storeId: null }) }
        : {};
    const sessionsEnded = await dropSessions(tx.manager, userId, null);
    const details = { email: before.email, admin, disabled, sessionsEnded, ...deleted };
    await writeUserAudit(tx, "user.changed", userId, details);
    return changed;
  });
}
