import { z } from "zod";
import { WEBHOOK_DIALECTS } from "../../domain/webhook/dialect";
import { eventType } from "../invoices/answer";
import { EXAMPLE_IDS, EXAMPLE_MAKER, id, instant, maker } from "../http/schemas/answer";
import { pageOf } from "../http/schemas/page";

const WEBHOOK = {
  webhookId: EXAMPLE_IDS.webhookId,
  url: "https://shop.example/hooks/bitcoin",
  dialect: "native",
  events: ["Settled", "Expired"],
  enabled: true,
  failureStreak: 0,
  createdAt: "2026-03-01T09:00:00.000Z",
  ...EXAMPLE_MAKER,
};

export const webhookAnswer = z
  .strictObject({
    webhookId: id(EXAMPLE_IDS.webhookId),
    url: z.string().meta({
      description: "Viewers in the dashboard see only the origin and `/…`: the path may be a secret.",
    }),
    dialect: z.enum(WEBHOOK_DIALECTS).meta({
      description:
        "`greenfield`: a shop plugin's webhook, with the events, signature and redelivery of that dialect.",
    }),
    events: z.array(eventType).meta({
      description:
        "The events that the webhook receives; empty for a shop plugin's, which has events of its own.",
    }),
    enabled: z.boolean(),
    failureStreak: z.int().min(0).meta({ description: "How many deliveries in a row have failed." }),
    createdAt: instant(),
    ...maker,
  })
  .meta({ id: "Webhook", examples: [WEBHOOK] });

export const webhookWithSecret = z
  .strictObject({
    ...webhookAnswer.shape,
    secret: z
      .string()
      .regex(/^whsec_/)
      .meta({ description: "The key of the webhook's signatures. Shown in this response only." }),
  })
  .meta({
    id: "WebhookWithSecret",
    examples: [{ ...WEBHOOK, secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwNrUlMDlWq8I=" }],
  });

export const webhookPage = pageOf("WebhookPage", webhookAnswer);
