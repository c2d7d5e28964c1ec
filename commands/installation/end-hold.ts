import type { CommandContext } from "../context";
import { endHolds } from "./restore-queries";

/**
 * Decisions from now on cannot have been sent before the loss. What was held stays so until a person redelivers it.
 * Returns how many holds ended.
 */
export async function endRestoreHold(ctx: CommandContext): Promise<number> {
  // A node that was taken out of the settings is never checked again.
  const { manager } = ctx.db;
  const networks = { chain: ctx.chain !== null, server: ctx.lightning.server };
  const { rows } = await endHolds(manager, networks.chain, networks.server, await ctx.now(manager));
  for (const { id: restoreId } of rows)
    ctx.log.info({ restoreId }, "restore: hold ended, new deliveries are sent again");
  return rows.length;
}
