import { z } from "zod";
import { midPrice } from "../../domain/money/rate";
import type { RateSource } from "./source";

const ticker = z.object({
  timestamp: z.string().regex(/^\d{1,12}$/),
  bid: z.string(),
  ask: z.string(),
});

/** https://www.bitstamp.net/api/#tag/Tickers/operation/GetMarketTicker — unknown pair: 404, whatever its body. */
export const bitstamp: RateSource = {
  baseUrl: "https://www.bitstamp.net",
  path: (currency) => `/api/v2/ticker/btc${currency.toLowerCase()}/`,
  isNotTraded: ({ status }) => status === 404,
  read(body) {
    const { bid, ask, timestamp } = ticker.parse(body);
    return { price: midPrice(bid, ask), atMs: Number(timestamp) * 1_000 };
  },
};
