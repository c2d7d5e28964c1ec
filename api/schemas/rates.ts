import { z } from "zod";

/** Each currency that nobody asked for lately costs a question to every source. */
const CURRENCIES_MAX = 10;
const MESSAGE = `Must be 1 to ${CURRENCIES_MAX} ISO 4217 currency codes with commas between them, such as USD,EUR.`;

export const ratesQuery = z.strictObject({
  currencies: z
    .string(MESSAGE)
    .regex(/^[^,]{1,10}(?:,[^,]{1,10})*$/, MESSAGE)
    .transform((text) => [...new Set(text.split(","))])
    .refine((codes) => codes.length <= CURRENCIES_MAX, MESSAGE)
    .meta({
      description: `1 to ${CURRENCIES_MAX} ISO 4217 codes with commas between them.`,
      examples: ["USD,EUR"],
    }),
});

const EXAMPLE = {
  currency: "USD",
  rate: "98123.45",
  sources: ["kraken", "coinbase", "bitstamp", "bitfinex"],
  ageSeconds: 12,
} as const;

const currencyRate = z
  .strictObject({
    currency: z.string(),
    rate: z.string().meta({
      description: "What one bitcoin costs for an invoice that is made now: the store's spread is taken off.",
    }),
    sources: z.array(z.string()).meta({ description: "Who agreed on it." }),
    ageSeconds: z.int().min(0).meta({ description: "How old the oldest of their prices is; at most 300." }),
  })
  .meta({ id: "Rate", examples: [EXAMPLE] });

export const ratesAnswer = z
  .strictObject({ data: z.array(currencyRate) })
  .meta({ id: "Rates", examples: [{ data: [EXAMPLE] }] });
