import { z } from "zod";
import { KEY_ACCESS } from "../../domain/account/key-access";
import { KEPT_OR_DELETED } from "../../domain/account/kept-or-deleted";
import { oneOf, text, time } from "../http/schemas/text";

export const createApiKeyBody = z
  .strictObject({
    name: text(100),
    access: oneOf(KEY_ACCESS).exactOptional().meta({
      description:
        "What the key may do: `full` (default), `create-and-read-invoices`, or `read`, which changes nothing. Each operation names those that it allows.",
    }),
    expiresAt: time.transform((instant) => new Date(instant)).exactOptional(),
  })
  .meta({ id: "CreateApiKey", examples: [{ name: "Web shop" }] });

export const deleteApiKeyQuery = z.strictObject({
  webhooks: oneOf(KEPT_OR_DELETED).exactOptional().meta({
    description:
      "What happens to the webhooks whose present URL was set by one of the deleted keys: `keep` (default) or `delete`.",
  }),
});
