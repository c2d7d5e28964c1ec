import { Store } from "../../entities/store";
import { removeOwnNode } from "../lightning/retire-node";
import { lockStore } from "../../database/rows";
import type { CommandContext } from "../context";
import { writeAudit } from "../server/write-audit";
import { inTransaction } from "../transaction";

/**
 * Its addresses are still watched, and its keys and webhooks still work. Its own Lightning node is retired. Idempotent.
 * @throws DomainError `store-not-found`.
 */
export async function archiveStore(ctx: CommandContext, storeId: string, archived: boolean): Promise<Store> {
  return inTransaction(ctx, async (tx) => {
    const store = await lockStore(tx.manager, storeId);
    if ((store.archivedAt !== null) === archived) return store;
    await tx.manager.update(Store, storeId, { archivedAt: archived ? await tx.now() : null });
    if (archived) await removeOwnNode(tx, storeId);
    const action = archived ? "store.archived" : "store.unarchived";
    await writeAudit(tx, { action, storeId, subject: storeId });
    return tx.manager.findOneByOrFail(Store, { id: storeId });
  });
}
