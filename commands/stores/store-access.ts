import type { StoreRole } from "../../domain/account/store-role";
import { DomainError } from "../../domain/errors";
import { Invoice } from "../../entities/invoice";
import { Store } from "../../entities/store";
import { StoreMember } from "../../entities/store-member";
import { WebhookDelivery } from "../../entities/webhook-delivery";
import type { CommandContext } from "../context";
import { findAuthentic } from "../server/authentic-rows";
import { reading } from "../transaction";

/** As far as it determines rights in a store. */
export interface Asker {
  userId: string;
  admin: boolean;
}

export interface StoreAccess {
  role: StoreRole;
  /** False for a server admin who is no member. */
  member: boolean;
}

/** The membership's, or owner for a server admin; null without a role or store. */
export async function roleInStore(
  ctx: CommandContext,
  { userId, admin }: Asker,
  storeId: string,
): Promise<StoreAccess | null> {
  const { manager } = ctx.db;
  const [member] = await findAuthentic(reading(ctx), StoreMember, { storeId, userId });
  if (admin && (member !== undefined || (await manager.existsBy(Store, { id: storeId }))))
    return { role: "owner", member: member !== undefined };
  return member === undefined ? null : { role: member.role, member: true };
}

/** @throws DomainError `invoice-not-found`, also without a role in its store. */
export async function storeOfInvoice(ctx: CommandContext, asker: Asker, invoiceId: string): Promise<string> {
  const invoice = await ctx.db.manager.findOne(Invoice, {
    select: { id: true, storeId: true },
    where: { id: invoiceId },
  });
  if (invoice === null || (await roleInStore(ctx, asker, invoice.storeId)) === null)
    throw new DomainError("invoice-not-found", "There is no such invoice in your stores.");
  return invoice.storeId;
}

/** @throws DomainError `delivery-not-found`, also without a role in its store. */
export async function placeOfDelivery(
  ctx: CommandContext,
  asker: Asker,
  deliveryId: string,
): Promise<Pick<WebhookDelivery, "storeId" | "webhookId">> {
  const delivery = await ctx.db.manager.findOne(WebhookDelivery, {
    select: { id: true, storeId: true, webhookId: true },
    where: { id: deliveryId },
  });
  if (delivery === null || (await roleInStore(ctx, asker, delivery.storeId)) === null)
    throw new DomainError("delivery-not-found", "There is no such delivery in your stores.");
  return delivery;
}
