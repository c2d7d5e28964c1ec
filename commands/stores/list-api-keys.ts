import { DomainError } from "../../domain/errors";
import { ApiKey } from "../../entities/api-key";
import type { CommandContext } from "../context";
import { readPage, type Page, type PageRequest } from "../../database/pagination";

/** A store's keys, newest first, including expired ones. @throws DomainError `validation-failed` at `/cursor`. */
export async function listApiKeys(
  ctx: CommandContext,
  storeId: string,
  page: PageRequest,
): Promise<Page<ApiKey>> {
  return readPage(
    ctx.db.createQueryBuilder(ApiKey, "key").where("key.storeId = :storeId", { storeId }),
    page,
  );
}

/** @throws DomainError `api-key-not-found`, also for a key of another store. */
export async function readApiKey(ctx: CommandContext, storeId: string, keyId: string): Promise<ApiKey> {
  const key = await ctx.db.manager.findOneBy(ApiKey, { id: keyId, storeId });
  if (key === null) throw apiKeyNotFound();
  return key;
}

export function apiKeyNotFound(): DomainError {
  return new DomainError("api-key-not-found", "API key not found in this store.");
}
