import { z } from "zod";
import { KEPT_OR_DELETED } from "../../domain/account/kept-or-deleted";
import { oneOf, text, time } from "../http/schemas/text";

export const createApiKeyBody = z
  .strictObject({
    name: text(100),
    expiresAt: time.transform((instant) => new Date(instant)).exactOptional(),
  })
  .meta({ id: "CreateApiKey", examples: [{ name: "Web shop" }] });

export const deleteApiKeyQuery = z.strictObject({
  webhooks: oneOf(KEPT_OR_DELETED).exactOptional().meta({
    description:
      "What happens to the webhooks whose present URL was set by one of the deleted keys: `keep` (default) or `delete`.",
  }),
});
