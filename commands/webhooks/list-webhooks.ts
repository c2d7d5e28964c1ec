import { type EntityManager, IsNull } from "typeorm";
import { DomainError } from "../../domain/errors";
import { Webhook } from "../../entities/webhook";
import type { CommandContext } from "../context";
import { readPage, type Page, type PageRequest } from "../../database/pagination";

/** A store's webhooks without deleted ones, newest first. @throws DomainError `validation-failed` at `/cursor`. */
export async function listWebhooks(
  ctx: CommandContext,
  storeId: string,
  page: PageRequest,
): Promise<Page<Webhook>> {
  const query = ctx.db
    .createQueryBuilder(Webhook, "webhook")
    .where("webhook.storeId = :storeId AND webhook.deletedAt IS NULL", { storeId });
  return readPage(query, page);
}

/** All of a store's in the dialect of shop plugins, newest first: they are few (`MAX_WEBHOOKS_PER_STORE`). */
export async function listDialectWebhooks(ctx: CommandContext, storeId: string): Promise<Webhook[]> {
  return ctx.db.manager.find(Webhook, {
    where: { storeId, dialect: "greenfield", deletedAt: IsNull() },
    order: { createdAt: "DESC", id: "DESC" },
  });
}

/** @throws DomainError `webhook-not-found` also for a native one. */
export async function readDialectWebhook(
  ctx: CommandContext,
  storeId: string,
  webhookId: string,
): Promise<Webhook> {
  const webhook = await readWebhook(ctx, storeId, webhookId);
  if (webhook.dialect !== "greenfield") throw webhookNotFound();
  return webhook;
}

/** @throws DomainError `webhook-not-found` also for one of another store or a deleted one. */
export async function readWebhook(ctx: CommandContext, storeId: string, webhookId: string): Promise<Webhook> {
  const webhook = await ctx.db.manager.findOneBy(Webhook, { id: webhookId, storeId, deletedAt: IsNull() });
  if (webhook === null) throw webhookNotFound();
  return webhook;
}

/**
 * Locks a webhook until the caller's transaction ends: nothing is sent to it or changed.
 * @throws DomainError `webhook-not-found`.
 */
export async function lockWebhook(
  manager: EntityManager,
  storeId: string,
  webhookId: string,
): Promise<Webhook> {
  const webhook = await manager.findOne(Webhook, {
    where: { id: webhookId, storeId, deletedAt: IsNull() },
    lock: { mode: "for_no_key_update" },
  });
  if (webhook === null) throw webhookNotFound();
  return webhook;
}

export function webhookNotFound(): DomainError {
  return new DomainError("webhook-not-found", "Webhook not found in this store.");
}
