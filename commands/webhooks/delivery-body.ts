import type { DialectEvent, PartFields } from "../../domain/webhook/dialect";
import { dialectBody } from "../../domain/webhook/dialect-body";

interface DeliveryRow {
  deliveryId: string;
  webhookId: string;
  storeId: string;
  invoiceId: string;
  createdAt: Date;
  dialectType: DialectEvent | null;
  dialectFields: PartFields | null;
  /** The event's. */
  body: Buffer | null;
}

/**
 * The event's bytes, or a shop plugin's version of them. Null where retention or an erasure has deleted the event's
 * body, which alone holds the customer's data.
 */
export function bodyOf(delivery: DeliveryRow): Buffer | null {
  const { body, dialectType, dialectFields, ...ids } = delivery;
  if (body === null || dialectType === null) return body;
  return dialectBody({ ...ids, type: dialectType, fields: dialectFields ?? {}, eventBody: body });
}
