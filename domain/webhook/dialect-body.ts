import { withoutUnderscore } from "../greenfield/id-text";
import { rawMember } from "../invoice/metadata";
import type { DialectEvent, PartFields } from "./dialect";
import { type HeaderInput, serviceSignature, unsignedHeaders } from "./signature";

/** A delivery to a shop plugin's webhook, from its row and its event's. */
export interface DialectDelivery {
  deliveryId: string;
  webhookId: string;
  storeId: string;
  invoiceId: string;
  type: DialectEvent;
  fields: PartFields;
  /** The event's time. */
  createdAt: Date;
  /** The event's own body, which has the metadata. */
  eventBody: Buffer;
}

/** Fields of a part and of its payment. Postgres returns the names of a jsonb in an order of its own. */
const FIELDS_IN_ORDER = [
  ...["afterExpiration", "paymentMethodId", "payment", "manuallyMarked", "overPaid", "partiallyPaid"],
  ...["id", "receivedDate", "value", "fee", "status", "destination"],
];

/**
 * The bytes of a delivery in the plugins' dialect: the same for every attempt. Metadata is put in as the text that the
 * merchant sent (see `eventBody`).
 */
export function dialectBody(delivery: DialectDelivery): Buffer {
  const { storeId, type, fields, createdAt, eventBody } = delivery;
  const deliveryId = withoutUnderscore(delivery.deliveryId);
  const metadata = rawMember(eventBody.toString(), "metadata") ?? "{}";
  const head = JSON.stringify({
    deliveryId,
    webhookId: withoutUnderscore(delivery.webhookId),
    originalDeliveryId: deliveryId,
    isRedelivery: false,
    type,
    timestamp: Math.floor(createdAt.getTime() / 1000),
    storeId,
    invoiceId: withoutUnderscore(delivery.invoiceId),
  });
  const tail = JSON.stringify(fields, FIELDS_IN_ORDER).slice(1, -1);
  return Buffer.from(`${head.slice(0, -1)},"metadata":${metadata}${tail === "" ? "" : ","}${tail}}`);
}

/** The headers that are known before it is signed. Those of Standard Webhooks need a secret of ours, so they are left out. */
export function unsignedDialectHeaders(input: HeaderInput): Record<string, string> {
  const { "webhook-id": _, ...headers } = unsignedHeaders(input);
  return headers;
}

/** The secret is used as the text that it is, whoever gave it. There is room for one signature. */
export function dialectHeaders(
  input: HeaderInput & { body: Buffer; secret: string },
): Record<string, string> {
  return {
    ...unsignedDialectHeaders(input),
    "BTCPay-Sig": serviceSignature(input.body, input.secret),
  };
}
