import { In } from "typeorm";
import type { StoreRole } from "../../domain/account/store-role";
import { Store } from "../../entities/store";
import { StoreMember } from "../../entities/store-member";
import type { CommandContext } from "../context";
import { findAuthentic } from "../server/authentic-rows";
import { readPage, type Page, type PageRequest } from "../../database/pagination";
import { OF_MEMBER } from "./queries";
import type { Asker, StoreAccess } from "./store-access";
import { reading } from "../transaction";

export interface StoreFilter {
  archived: boolean;
  /** A part of the name, in any case. */
  q?: string | undefined;
}

export interface StoreOfUser extends StoreAccess {
  store: Store;
}

/** Newest first: their own, and all for a server admin. @throws DomainError `validation-failed` at `/cursor`. */
export async function listStores(
  ctx: CommandContext,
  { userId, admin }: Asker,
  { archived, q }: StoreFilter,
  page: PageRequest,
): Promise<Page<StoreOfUser>> {
  const query = ctx.db
    .createQueryBuilder(Store, "store")
    .where(`store.archivedAt IS ${archived ? "NOT NULL" : "NULL"}`);
  if (!admin) query.andWhere(OF_MEMBER, { userId });
  if (q !== undefined) query.andWhere("strpos(lower(store.name), lower(:q)) > 0", { q });
  const { items, nextCursor } = await readPage(query, page);
  const members = await findAuthentic(reading(ctx), StoreMember, {
    userId,
    storeId: In(items.map(({ id }) => id)),
  });
  const roles = new Map(members.map(({ storeId, role }): [string, StoreRole] => [storeId, role]));
  return {
    items: items.flatMap((store) => {
      const role = admin ? "owner" : roles.get(store.id);
      return role === undefined ? [] : { store, role, member: roles.has(store.id) };
    }),
    nextCursor,
  };
}
