import { z } from "zod";
import { EXAMPLE_IDS, id, instant } from "../http/schemas/answer";
import { additionalStatus } from "../invoices/answer";
import { eventType } from "../webhooks/answer";

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

const feedEvent = z
  .strictObject({
    seq: seq.meta({
      description:
        "Its position in the feed. It increases, also when compared as text; treat it as opaque otherwise.",
    }),
    eventId: id(EXAMPLE_IDS.eventId).meta({ description: "The `X-Service-Event-Id` of its webhooks." }),
    type: eventType,
    invoiceId: id(EXAMPLE_IDS.invoiceId),
    metadata: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: "As they were when the event was written; null once they are no longer stored." }),
    additionalStatus,
    createdAt: instant("2026-03-01T12:14:52.000Z"),
  })
  .meta({ id: "FeedEvent", examples: [FEED_EVENT] });

export const feedAnswer = z
  .strictObject({
    data: z.array(feedEvent).meta({ description: "Oldest first." }),
    nextAfter: seq.meta({ description: "Send it as `after` next time, also when `data` is empty." }),
  })
  .meta({ id: "EventFeed", examples: [{ data: [FEED_EVENT], nextAfter: SEQ }] });
