import { z } from "zod";
import { EVENT_TYPES } from "../../domain/invoice/status";
import { oneOf, text, wholeNumber } from "../http/schemas/text";

const events = z
  .array(oneOf(EVENT_TYPES), "Must be a list.")
  .min(1, "Must name at least one event.")
  .max(EVENT_TYPES.length, "Names an event twice.");

export const createWebhookBody = z
  .strictObject({
    url: text(2_000),
    events: events.exactOptional(),
    enabled: z.boolean("Must be true or false.").exactOptional(),
  })
  .meta({
    id: "CreateWebhook",
    examples: [{ url: "https://shop.example/hooks/bitcoin", events: ["Settled", "Expired"] }],
  });

export const changeWebhookBody = z
  .strictObject({
    url: text(2_000).exactOptional(),
    events: events.exactOptional(),
    enabled: z.boolean("Must be true or false.").exactOptional(),
  })
  .meta({ id: "ChangeWebhook", examples: [{ enabled: false }, { events: ["Settled"] }] });

const DAY_SECONDS = 86_400;

export const rotateSecretBody = z
  .strictObject({ overlapSeconds: wholeNumber(0, 7 * DAY_SECONDS).default(DAY_SECONDS) })
  .meta({ id: "RotateWebhookSecret", examples: [{ overlapSeconds: 3_600 }] });

export const testWebhookBody = z
  .strictObject({ type: oneOf(EVENT_TYPES).default("New") })
  .meta({ id: "TestWebhook", examples: [{ type: "Settled" }] });
