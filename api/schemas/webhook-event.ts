import { z } from "zod";
import { EXAMPLE_IDS, id } from "./answer";
import { additionalStatus } from "./invoice-answer";
import { eventType } from "./webhook-answer";

/** The body of a webhook (interface specification, section 6). */
export const webhookEvent = z
  .strictObject({
    type: eventType,
    invoiceId: id(EXAMPLE_IDS.invoiceId),
    metadata: z
      .record(z.string(), z.unknown())
      .meta({ description: "The invoice's, as they were when the event was written." }),
    additionalStatus,
  })
  .meta({
    id: "WebhookEvent",
    examples: [
      {
        type: "Settled",
        invoiceId: EXAMPLE_IDS.invoiceId,
        metadata: { orderId: "A-1001", cart: ["tea"] },
        additionalStatus: "None",
      },
    ],
  });

/** Beside what HTTP itself needs. Names in small letters, as receivers see them. */
export const webhookHeaders = z.object({
  "x-service-sig": z
    .string()
    .regex(/^sha256=[0-9a-f]{64}$/)
    .meta({
      description: "HMAC-SHA256 of the body's bytes, keyed with the webhook's secret as it was shown.",
    }),
  "x-service-event-id": z.string().meta({ description: "The same at every redelivery: act on it once." }),
  "x-service-delivery-id": z.string(),
  "x-service-store-id": z.string(),
  "x-service-attempt": z.string().regex(/^\d+$/).meta({ description: "1 for the automatic attempt." }),
  "x-service-test": z.literal("true").optional().meta({ description: "Only on test events." }),
  "webhook-id": z.string().meta({ description: "The event's id (Standard Webhooks)." }),
  "webhook-timestamp": z
    .string()
    .regex(/^\d+$/)
    .meta({ description: "Unix time in seconds; refuse old ones (Standard Webhooks)." }),
  "webhook-signature": z.string().meta({
    description: "`v1,` and a base64 signature; two, parted by a blank, while a secret is changed.",
  }),
});
