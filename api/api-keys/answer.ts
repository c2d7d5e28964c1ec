import { z } from "zod";
import { KEY_ACCESS } from "../../domain/account/key-access";
import { EXAMPLE_IDS, EXAMPLE_MAKER, id, instant, maker } from "../http/schemas/answer";
import { pageOf } from "../http/schemas/page";

const API_KEY = {
  id: EXAMPLE_IDS.keyId,
  name: "Web shop",
  prefix: "Zk3vQ9xA",
  createdAt: "2026-02-01T09:00:00.000Z",
  ...EXAMPLE_MAKER,
  access: "full",
  permissions: null,
  lastUsedAt: "2026-03-01T12:00:00.000Z",
  expiresAt: null,
  webhooks: [{ webhookId: EXAMPLE_IDS.webhookId, url: "https://shop.example/hooks/bitcoin" }],
};

export const apiKeyAnswer = z
  .strictObject({
    id: id(EXAMPLE_IDS.keyId),
    name: z.string(),
    prefix: z.string().meta({ description: "The first characters after `sk_live_` or `sk_test_`." }),
    createdAt: instant(),
    ...maker,
    access: z.enum(KEY_ACCESS).nullable().meta({
      description: "What a key of this API may do. Null for a shop plugin's key, which it refuses.",
    }),
    permissions: z
      .array(z.string())
      .nullable()
      .meta({ description: "Of a shop plugin's key: all that it may do. Null for a key of this API." }),
    lastUsedAt: instant().nullable().meta({ description: "Accurate to five minutes." }),
    expiresAt: instant().nullable(),
    webhooks: z.array(z.strictObject({ webhookId: id(EXAMPLE_IDS.webhookId), url: z.string() })).meta({
      description:
        "The webhooks whose present URL was set by this key, or by a key that was created with it.",
    }),
  })
  .meta({ id: "ApiKey", examples: [API_KEY] });

export const apiKeyWithText = z
  .strictObject({
    ...apiKeyAnswer.shape,
    apiKey: z
      .string()
      .regex(/^sk_(live|test)_/)
      .meta({ description: "Shown in this response only." }),
  })
  .meta({
    id: "ApiKeyWithText",
    examples: [
      {
        ...API_KEY,
        lastUsedAt: null,
        webhooks: [],
        apiKey: "sk_live_Zk3vQ9xA0000000000000000000000000000000000000000000",
      },
    ],
  });

export const apiKeyPage = pageOf("ApiKeyPage", apiKeyAnswer);
