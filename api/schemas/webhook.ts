import { z } from "zod";
import { EVENT_TYPES } from "../../domain/invoice/status";
import { oneOf, text } from "./text";

export const createWebhookBody = z.strictObject({
  url: text(2_000),
  events: z
    .array(oneOf(EVENT_TYPES), "Must be a list.")
    .min(1, "Must name at least one event.")
    .max(EVENT_TYPES.length, "Names an event twice.")
    .exactOptional(),
  enabled: z.boolean("Must be true or false.").exactOptional(),
});
