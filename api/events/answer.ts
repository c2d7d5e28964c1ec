import { z } from "zod";
import { EXAMPLE_IDS, id, instant } from "../http/schemas/answer";
import { additionalStatus, eventType } from "../invoices/answer";

const SEQ = "0000000000000042";
const seq = z
  .string()
  .regex(/^\d{16}$/)
  .meta({ examples: [SEQ] });

const FEED_EVENT = {
  seq: SEQ,
  eventId: EXAMPLE_IDS.eventId,
  type: "Settled",
  invoiceId: EXAMPLE_IDS.invoiceId,
  metadata: { orderId: "A-1001", cart: ["tea"] },
  additionalStatus: "None",
  createdAt: "2026-03-01T12:14:52.000Z",
} as const;

export const feedEvent = z
  .strictObject({
    seq: seq.meta({
      description:
        "The position in the feed. It increases, also when compared as text; otherwise treat it as opaque.",
    }),
    eventId: id(EXAMPLE_IDS.eventId).meta({
      description: "The `X-Service-Event-Id` of the event's webhooks.",
    }),
    type: eventType,
    invoiceId: id(EXAMPLE_IDS.invoiceId),
    metadata: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: "The metadata when the event was created; null once it is no longer stored." }),
    additionalStatus,
    createdAt: instant("2026-03-01T12:14:52.000Z"),
  })
  .meta({ id: "FeedEvent", examples: [FEED_EVENT] });

export const feedAnswer = z
  .strictObject({
    data: z.array(feedEvent).meta({ description: "Oldest first." }),
    nextAfter: seq.meta({ description: "Send it as `after` in the next request, even if `data` is empty." }),
  })
  .meta({ id: "EventFeed", examples: [{ data: [FEED_EVENT], nextAfter: SEQ }] });
