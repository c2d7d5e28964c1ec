import { z } from "zod";
import { readPrice } from "../../domain/money/rate";
import type { RateSource } from "./source";

const spot = z.object({ data: z.object({ amount: z.string(), base: z.string(), currency: z.string() }) });
const failure = z.object({ errors: z.array(z.object({ id: z.string() })) });

/**
 * https://docs.cdp.coinbase.com/coinbase-app/track-apis/prices — spot; without a market of their own, by Coinbase's
 * exchange rates.
 */
export const coinbase: RateSource = {
  baseUrl: "https://api.coinbase.com",
  path: (currency) => `/v2/prices/BTC-${currency}/spot`,
  isNotTraded: ({ status, body }) =>
    (status === 404 || status === 400) &&
    (failure.safeParse(body).data?.errors ?? []).some(({ id }) =>
      ["not_found", "invalid_request"].includes(id),
    ),
  read(body, currency) {
    const { data } = spot.parse(body);
    const asked = data.base === "BTC" && data.currency === currency;
    return { price: asked ? readPrice(data.amount) : null, atMs: null };
  },
};
