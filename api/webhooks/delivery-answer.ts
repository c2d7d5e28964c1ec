import { z } from "zod";
import { ATTEMPT_CAUSES, DELIVERY_STATES } from "../../domain/webhook/claim";
import { DIALECT_EVENTS } from "../../domain/webhook/dialect";
import { EXAMPLE_IDS, id, instant } from "../http/schemas/answer";
import { additionalStatus, eventType } from "../invoices/answer";
import { pageOf } from "../http/schemas/page";

const httpStatus = z
  .int()
  .nullable()
  .meta({ description: "The status of the endpoint's response; null without a response.", examples: [200] });
const error = z
  .string()
  .nullable()
  .meta({
    description: "A short code such as `timeout` or `http-500`; null if it was delivered.",
    examples: [null],
  });
const durationMs = z
  .int()
  .min(0)
  .nullable()
  .meta({ description: "In milliseconds.", examples: [182] });

const DELIVERY = {
  deliveryId: EXAMPLE_IDS.deliveryId,
  eventId: EXAMPLE_IDS.eventId,
  webhookId: EXAMPLE_IDS.webhookId,
  invoiceId: EXAMPLE_IDS.invoiceId,
  type: "Settled",
  additionalStatus: "None",
  dialectType: null,
  state: "delivered",
  attemptCount: 1,
  httpStatus: 200,
  error: null,
  durationMs: 182,
  createdAt: "2026-03-01T12:14:52.000Z",
  lastAttemptAt: "2026-03-01T12:14:52.130Z",
  nextAttemptAt: null,
};

export const deliveryAnswer = z
  .strictObject({
    deliveryId: id(EXAMPLE_IDS.deliveryId),
    eventId: id(EXAMPLE_IDS.eventId).meta({ description: "The same at every redelivery." }),
    webhookId: id(EXAMPLE_IDS.webhookId),
    invoiceId: id(EXAMPLE_IDS.invoiceId),
    type: eventType,
    additionalStatus,
    dialectType: z
      .enum(DIALECT_EVENTS)
      .nullable()
      .meta({
        description: "What a shop plugin's webhook is sent of the event; null at a native webhook.",
        examples: [null],
      }),
    state: z.enum(DELIVERY_STATES).meta({
      description:
        "Skipped: the webhook was disabled or deleted before the delivery was sent, or (`overtaken`) a shop plugin has received a later state of the invoice.",
    }),
    attemptCount: z.int().min(0),
    httpStatus,
    error,
    durationMs,
    createdAt: instant(),
    lastAttemptAt: instant().nullable(),
    nextAttemptAt: instant().nullable().meta({
      description: "When a failed delivery is sent again automatically; always null at a native webhook.",
    }),
  })
  .meta({ id: "Delivery", description: "The delivery of one event to one webhook.", examples: [DELIVERY] });

const ATTEMPT = {
  number: 1,
  cause: "automatic",
  startedAt: "2026-03-01T12:14:52.130Z",
  durationMs: 182,
  httpStatus: 200,
  error: null,
  responseBody: "ok",
  resolvedIp: "198.51.100.7",
};

export const attempt = z
  .strictObject({
    number: z.int().min(1),
    cause: z.enum(ATTEMPT_CAUSES).meta({
      description:
        "The first attempt is automatic, all others are redeliveries by hand; a shop plugin's webhook also has automatic redeliveries.",
    }),
    startedAt: instant(),
    durationMs,
    httpStatus,
    error,
    responseBody: z.string().nullable().meta({ description: "The first 4 KiB of the response body." }),
    resolvedIp: z.string().nullable().meta({ description: "The IP address that the request was sent to." }),
  })
  .meta({ id: "Attempt", description: "One request to a webhook.", examples: [ATTEMPT] });

export const deliveryDetailAnswer = z
  .strictObject({
    ...deliveryAnswer.shape,
    attempts: z.array(attempt).meta({ description: "The last hundred attempts, oldest first." }),
  })
  .meta({ id: "DeliveryDetail", examples: [{ ...DELIVERY, attempts: [ATTEMPT] }] });

export const deliveryPage = pageOf("DeliveryPage", deliveryAnswer);

export const redeliverManyAnswer = z
  .strictObject({ count: z.int().min(0).meta({ description: "How many deliveries will be sent again." }) })
  .meta({ id: "RedeliverMany", examples: [{ count: 3 }] });

export const deliveryRequestAnswer = z
  .strictObject({
    method: z.literal("POST"),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string().meta({ description: "The exact text that is signed." }),
  })
  .meta({
    id: "DeliveryRequest",
    examples: [
      {
        method: "POST",
        url: "https://shop.example/hooks/bitcoin",
        headers: {
          "Content-Type": "application/json",
          "X-Service-Sig": "sha256=de015f7ab7ef82264ce80d311d0deae55eeaefb146efe0028e3886f7d0a391c4",
        },
        body: '{"type":"Settled","invoiceId":"inv_8Kq2mVZ5TnYxLr4cWbPdHs9G","metadata":{"orderId":"A-1001"},"additionalStatus":"None"}',
      },
    ],
  });
