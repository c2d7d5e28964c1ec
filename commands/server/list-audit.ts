import { In } from "typeorm";
import { ApiKey } from "../../entities/api-key";
import { AuditEntry } from "../../entities/audit-entry";
import { User } from "../../entities/user";
import type { CommandContext } from "../context";
import { readPageOfLarge, type PageRequest } from "../../database/pagination";

export interface AuditFilter {
  storeId?: string | undefined;
  actorId?: string | undefined;
  action?: string | undefined;
}

/** Newest first. @throws DomainError `validation-failed` at `/cursor`. */
export async function listAudit(
  ctx: CommandContext,
  { storeId, actorId, action }: AuditFilter,
  page: PageRequest,
) {
  const query = ctx.db.createQueryBuilder(AuditEntry, "entry");
  if (storeId !== undefined) query.andWhere("entry.storeId = :storeId", { storeId });
  if (actorId !== undefined) query.andWhere("entry.actorId = :actorId", { actorId });
  if (action !== undefined) query.andWhere("entry.action = :action", { action });
  const { items, nextCursor } = await readPageOfLarge(query, page, {
    entity: AuditEntry,
    bytes: "512 + octet_length(CAST(entry.details AS text))",
    time: "at",
  });
  const names = await actorNames(ctx, items);
  return {
    // An address or a key's name; null if there is none, or it was deleted.
    items: items.map((entry) => ({ entry, actorName: names.get(entry.actorId ?? "") ?? null })),
    nextCursor,
  };
}

async function actorNames(
  { db: { manager } }: CommandContext,
  entries: readonly AuditEntry[],
): Promise<Map<string, string>> {
  const id = In([...new Set(entries.flatMap(({ actorId }) => actorId ?? []))]);
  const users = await manager.find(User, { select: { id: true, email: true }, where: { id } });
  const keys = await manager.find(ApiKey, { select: { id: true, name: true }, where: { id } });
  return new Map([
    ...users.map((user): [string, string] => [user.id, user.email]),
    ...keys.map((key): [string, string] => [key.id, key.name]),
  ]);
}
