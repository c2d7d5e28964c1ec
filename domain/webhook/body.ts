import type { AdditionalStatus, EventType } from "../invoice/status";
import type { DialectEvent, PartFields } from "./dialect";
import { dialectBody } from "./dialect-body";

/** A webhook's body. `metadata` is the JSON text of an object, exactly as the merchant sent it. */
export interface WebhookEvent {
  type: EventType;
  invoiceId: string;
  metadata: string;
  additionalStatus: AdditionalStatus;
}

/**
 * The bytes of an event (interface specification, section 6): its four fields in this order. They are made once,
 * when the event is written, and sent unchanged at every redelivery. Metadata is inserted as text: parsing and
 * serialising it would reorder numeric keys and round large numbers.
 */
export function eventBody(event: WebhookEvent): Buffer {
  const { type, invoiceId, metadata, additionalStatus } = event;
  return Buffer.from(
    `{"type":${JSON.stringify(type)},"invoiceId":${JSON.stringify(invoiceId)},` +
      `"metadata":${metadata},"additionalStatus":${JSON.stringify(additionalStatus)}}`,
  );
}

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
