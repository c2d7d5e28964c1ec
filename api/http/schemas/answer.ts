import { z } from "zod";

// Closed for the tests; the OpenAPI description leaves them open, because fields may be added.

export const EXAMPLE_IDS = {
  storeId: "4wBqpZM9k2mAgN8rTzZy7VdQ3hUuFLcXeJ5sRtGbKoPq",
  invoiceId: "inv_7Yt3kQm9ZxWvB2nRcLsDfH",
  webhookId: "wh_5Jd8sPqX4mTzRw9KbNvCfY",
  deliveryId: "whd_9Gk2hLwR7pXsVt4QzMbNcE",
  eventId: "evt_3Fn6vBxS8rKtJm5WyQzLpD",
  keyId: "key_6Hm4tNcR9wLsXv3ZqBpJdG",
  linkId: "lnk_7Vb4nWsKx2QmRz8PtYdHgJ",
  alertId: "alr_8Kp2xTgW5rMzQn7VyCsLbF",
} as const;

export const id = (example: string) => z.string().meta({ examples: [example] });

export const storeId = id(EXAMPLE_IDS.storeId).meta({ description: "The store that the key belongs to." });

export const instant = (example = "2026-03-01T12:00:00.000Z") =>
  z.iso.datetime().meta({ examples: [example] });

export const sats = z
  .int()
  .min(0)
  .meta({ description: "In satoshi.", examples: [25_000] });

/** Hex: a transaction, block or payment. */
export const hash = z.string().regex(/^[0-9a-f]{64}$/);

export const maker = {
  createdByUserId: z.string().nullable().meta({
    description:
      "The user who created it or, if an API key created it, that key's creator; null for the command line.",
  }),
  createdByEmail: z.string().nullable().meta({
    description: "The e-mail address of that user, shown to owners in the dashboard; null for API keys.",
  }),
};
export const EXAMPLE_MAKER = { createdByUserId: "usr_9kQm3ZtXw5RbVcYdEfGhJn", createdByEmail: null };
