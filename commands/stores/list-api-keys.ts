import { DomainError } from "../../domain/errors";
import { ApiKey } from "../../entities/api-key";
import type { CommandContext } from "../context";
import { groupBy } from "../../domain/group-by";
import { readWebhooksOfKeys } from "./queries";
import { readPage, type Page, type PageRequest } from "../../database/pagination";

/** Newest first, with expired ones. @throws DomainError `validation-failed` at `/cursor`. */
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

export interface WebhookOfKey {
  webhookId: string;
  url: string;
}

/** Set by the key, or by a key that it created. */
export async function webhooksOfKeys(
  { db }: CommandContext,
  storeId: string,
  keys: readonly ApiKey[],
): Promise<ReadonlyMap<string, WebhookOfKey[]>> {
  if (keys.length === 0) return new Map();
  const { rows } = await readWebhooksOfKeys(
    db.manager,
    keys.map(({ id }) => id),
    storeId,
  );
  return groupBy(rows, ({ keyId }) => keyId);
}

export function apiKeyNotFound(): DomainError {
  return new DomainError("api-key-not-found", "API key not found in this store.");
}
