import { z } from "zod";
import type { DialectWebhookInput } from "../../commands/webhooks/change-dialect-webhook";
import { text } from "../http/schemas/text";
import { fields, optional } from "./request";

const yesOrNo = optional(z.boolean("Must be true or false."));

/** Nine exist; newer plugins may know more. */
const MAX_SPECIFIC_EVENTS = 50;

const authorizedEvents = fields({
  everything: yesOrNo,
  specificEvents: optional(
    z
      .array(text(100), "Must be a list of event types.")
      .max(MAX_SPECIFIC_EVENTS, `Must name at most ${MAX_SPECIFIC_EVENTS} event types.`),
  ),
});

export const webhookBody = fields({
  url: text(2_000),
  enabled: yesOrNo,
  automaticRedelivery: yesOrNo,
  secret: optional(text(256)),
  authorizedEvents: optional(authorizedEvents),
});

export function webhookInput({
  url,
  enabled = true,
  automaticRedelivery = true,
  secret = null,
  authorizedEvents: wanted,
}: DefaultsLeftOut): DialectWebhookInput {
  const everything = wanted?.everything ?? wanted?.specificEvents === undefined;
  const specificEvents = everything ? null : (wanted?.specificEvents ?? []);
  return { url, enabled, automaticRedelivery, secret, specificEvents };
}

type DefaultsLeftOut = Omit<z.output<typeof webhookBody>, "secret"> & { secret?: string | null | undefined };
