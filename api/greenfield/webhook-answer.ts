import { z } from "zod";
import { withoutUnderscore } from "../../domain/greenfield/id-text";
import type { Webhook } from "../../entities/webhook";

export const webhookAnswer = z.strictObject({
  id: z.string(),
  enabled: z.boolean(),
  automaticRedelivery: z.boolean(),
  url: z.string(),
  authorizedEvents: z.strictObject({ everything: z.boolean(), specificEvents: z.array(z.string()) }),
});

export const webhookWithSecretAnswer = z.strictObject({ ...webhookAnswer.shape, secret: z.string() });

export function presentWebhook({ id, enabled, automaticRedelivery, url, specificEvents }: Webhook) {
  return {
    id: withoutUnderscore(id),
    enabled,
    automaticRedelivery,
    url,
    authorizedEvents: { everything: specificEvents === null, specificEvents: specificEvents ?? [] },
  };
}
