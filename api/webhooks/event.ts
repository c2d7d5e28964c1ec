import { z } from "zod";
import { EXAMPLE_IDS, id } from "../http/schemas/answer";
import { additionalStatus, eventType } from "../invoices/answer";

/** Interface specification, section 6. */
export const webhookEvent = z
  .strictObject({
    type: eventType,
    invoiceId: id(EXAMPLE_IDS.invoiceId).meta({ description: "The invoice's id." }),
    metadata: z.record(z.string(), z.unknown()).meta({
      description: "The invoice's metadata when the event was created. It always has an `orderId`.",
    }),
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

/** Names in lower case. */
export const webhookHeaders = z.object({
  "x-service-sig": z
    .string()
    .regex(/^sha256=[0-9a-f]{64}$/)
    .meta({
      description:
        "`sha256=` and the hex HMAC-SHA256 of the raw body. The key is the whole text of the secret, including `whsec_`.",
    }),
  "x-service-event-id": z.string().meta({
    description:
      "The event's id, the same at every redelivery. An order can have two `Settled` events: skip it if it is already marked as paid.",
  }),
  "x-service-delivery-id": z.string().meta({ description: "The id of the delivery, as in the API." }),
  "x-service-store-id": z.string().meta({ description: "The store's id." }),
  "x-service-attempt": z
    .string()
    .regex(/^\d+$/)
    .meta({ description: "1 for the automatic attempt, plus 1 for each redelivery." }),
  "x-service-test": z.literal("true").optional().meta({ description: "`true`, on test events only." }),
  "webhook-id": z.string().meta({ description: "The event's id (Standard Webhooks)." }),
  "webhook-timestamp": z.string().regex(/^\d+$/).meta({
    description: "The Unix time of this attempt in seconds. Refuse old timestamps (Standard Webhooks).",
  }),
  "webhook-signature": z.string().meta({
    description:
      "`v1,` and the base64 HMAC-SHA256 of `webhook-id.webhook-timestamp.body`. The key is the decoded base64 " +
      "after `whsec_`. While a secret is rotated there are two signatures, separated by a space; one match is enough " +
      "(Standard Webhooks).",
  }),
});
