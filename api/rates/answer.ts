import { z } from "zod";

/** Each may cost a request to every source. */
const CURRENCIES_MAX = 10;
const MESSAGE = `Must be 1 to ${CURRENCIES_MAX} ISO 4217 currency codes separated by commas, such as USD,EUR.`;

export const ratesQuery = z.strictObject({
  currencies: z
    .string(MESSAGE)
    .regex(/^[^,]{1,10}(?:,[^,]{1,10})*$/, MESSAGE)
    .transform((text) => [...new Set(text.split(","))])
    .refine((codes) => codes.length <= CURRENCIES_MAX, MESSAGE)
    .meta({
      description: `1 to ${CURRENCIES_MAX} ISO 4217 codes separated by commas.`,
      examples: ["USD,EUR"],
    }),
});

const EXAMPLE = {
  currency: "USD",
  rate: "98123.45",
  sources: ["kraken", "coinbase", "bitstamp", "bitfinex"],
  ageSeconds: 12,
} as const;

export const currencyRate = z
  .strictObject({
    currency: z.string(),
    rate: z.string().meta({
      description: "The price of one bitcoin for an invoice created now, less the store's spread.",
    }),
    sources: z.array(z.string()).meta({ description: "The exchanges that agreed on it." }),
    ageSeconds: z.int().min(0).meta({ description: "The age of the oldest of their prices; at most 300." }),
  })
  .meta({ id: "Rate", examples: [EXAMPLE] });

export const ratesAnswer = z
  .strictObject({ data: z.array(currencyRate) })
  .meta({ id: "Rates", examples: [{ data: [EXAMPLE] }] });
