import type { StoreRole } from "../../domain/account/store-role";
import { Store } from "../../entities/store";
import { StoreMember } from "../../entities/store-member";
import type { CommandContext } from "../context";

/** The caller, as far as it decides the rights in a store. */
export interface Asker {
  userId: string;
  admin: boolean;
}

export interface StoreAccess {
  role: StoreRole;
  /** False for a server admin who is no member. */
  member: boolean;
}

/** A user's role in a store: their membership's, and owner for a server admin. Null: none, or no such store. */
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
