import { LessThan, Like } from "typeorm";
import { User } from "../../entities/user";
import type { CommandContext } from "../context";
import { changeAuthentic, ifAuthentic } from "../server/authentic-rows";
import { forgetInAudit } from "./queries";
import { inTransaction } from "../transaction";

const DAY_MS = 86_400_000;
const FORGOTTEN_AT_ONCE = 100;

/**
 * Leaves the id of users who have been disabled for `keptDays`: their e-mail address, and in the audit log the
 * addresses from which they logged in, go. Returns how many users there were.
 */
export async function forgetUsers(ctx: CommandContext, keptDays: number): Promise<number> {
  const now = await ctx.now(ctx.db.manager);
  const gone = { disabledAt: LessThan(new Date(now.getTime() - keptDays * DAY_MS)), email: Like("%@%") };
  const found = await ctx.db.manager.find(User, { where: gone, take: FORGOTTEN_AT_ONCE });
  for (const { id } of found)
    await inTransaction(ctx, async (tx) => {
      const lock = { mode: "pessimistic_write" } as const;
      const user = ifAuthentic(tx, User, await tx.manager.findOne(User, { where: { id, ...gone }, lock }));
      if (user === null) return;
      await changeAuthentic(tx, User, user, { email: id });
      await forgetInAudit(tx.manager, id);
    });
  return found.length;
}
