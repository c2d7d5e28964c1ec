import { Store } from "../../entities/store";
import { lockStore } from "./change-store";
import type { CommandContext } from "../context";
import { writeAudit } from "../server/write-audit";

/**
 * Its addresses are still watched, and its keys and webhooks still work. Idempotent.
 * @throws DomainError `store-not-found`.
 */
export async function archiveStore(ctx: CommandContext, storeId: string, archived: boolean): Promise<Store> {
  return ctx.db.transaction(async (manager) => {
    const store = await lockStore(manager, storeId);
    if ((store.archivedAt !== null) === archived) return store;
    await manager.update(Store, storeId, { archivedAt: archived ? await ctx.now(manager) : null });
    const action = archived ? "store.archived" : "store.unarchived";
    await writeAudit(manager, ctx, { action, storeId, subject: storeId });
    return manager.findOneByOrFail(Store, { id: storeId });
  });
}
