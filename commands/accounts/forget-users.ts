import { LessThan, Like } from "typeorm";
import { User } from "../../entities/user";
import type { CommandContext } from "../context";
import { changeAuthentic, ifAuthentic } from "./authentic-rows";
import { forgetInAudit } from "./queries";

const DAY_MS = 86_400_000;
const FORGOTTEN_AT_ONCE = 100;

/**
 * Of users who have been disabled for `keptDays` the id is left: their e-mail address, and in the audit log also the
 * addresses from which they logged in, are forgotten. Returns how many users were.
 */
export async function forgetUsers(ctx: CommandContext, keptDays: number): Promise<number> {
  const now = await ctx.now(ctx.db.manager);
  const gone = { disabledAt: LessThan(new Date(now.getTime() - keptDays * DAY_MS)), email: Like("%@%") };
  const found = await ctx.db.manager.find(User, { where: gone, take: FORGOTTEN_AT_ONCE });
  for (const { id } of found)
    await ctx.db.transaction(async (manager) => {
      const lock = { mode: "pessimistic_write" } as const;
      const user = ifAuthentic(ctx, User, await manager.findOne(User, { where: { id, ...gone }, lock }));
      if (user === null) return;
      await changeAuthentic(manager, ctx, User, user, { email: id });
      await forgetInAudit(manager, id);
    });
  return found.length;
}
