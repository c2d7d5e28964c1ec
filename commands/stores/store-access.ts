import type { StoreRole } from "../../domain/account/store-role";
import { Store } from "../../entities/store";
import { StoreMember } from "../../entities/store-member";
import type { CommandContext } from "../context";

/** Who asks, as far as it decides what they may do in a store. */
export interface Asker {
  userId: string;
  admin: boolean;
}

export interface StoreAccess {
  role: StoreRole;
  /** False for a server admin who sees the store only as such. */
  member: boolean;
}

/** What somebody may do in a store: what they are there, and an owner's all for a server admin. Null: nothing, or there is no such store. */
export async function roleInStore(
  { db: { manager } }: CommandContext,
  { userId, admin }: Asker,
  storeId: string,
): Promise<StoreAccess | null> {
  const member = await manager.findOneBy(StoreMember, { storeId, userId });
  if (admin && (member !== null || (await manager.existsBy(Store, { id: storeId }))))
    return { role: "owner", member: member !== null };
  return member === null ? null : { role: member.role, member: true };
}
