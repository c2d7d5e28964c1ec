import type { AdditionalStatus, EventType } from "../invoice/status";

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
