import { z } from "zod";
import { midPrice } from "../../domain/money/rate";
import type { RateSource } from "./source";

const side = z.tuple([z.string()], z.unknown());
const ticker = z.object({
  error: z.array(z.string()).length(0),
  result: z.record(z.string(), z.object({ a: side, b: side })),
});
const failure = z.object({ error: z.array(z.string()) });

/**
 * https://docs.kraken.com/api/docs/rest-api/get-ticker-information — status 200 even for failures. XBTUSD returns as
 * Kraken's own name: XXBTZUSD, XBTCHF.
 */
export const kraken: RateSource = {
  baseUrl: "https://api.kraken.com",
  path: (currency) => `/0/public/Ticker?pair=XBT${currency}`,
  isNotTraded: ({ body }) =>
    failure.safeParse(body).data?.error.includes("EQuery:Unknown asset pair") === true,
  read(body, currency) {
    const names = [`XXBTZ${currency}`, `XBT${currency}`];
    const [pair] = Object.entries(ticker.parse(body).result).filter(([name]) => names.includes(name));
    return { price: pair === undefined ? null : midPrice(pair[1].b[0], pair[1].a[0]), atMs: null };
  },
};
