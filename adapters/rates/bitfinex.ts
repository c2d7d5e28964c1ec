import { z } from "zod";
import { midPrice } from "../../domain/money/rate";
import type { RateSource } from "./source";

/** BID, BID_SIZE, ASK, … */
const ticker = z.tuple([z.number(), z.number(), z.number()], z.unknown());
const failure = z.tuple([z.literal("error"), z.number(), z.string()]);

/**
 * https://docs.bitfinex.com/reference/rest-public-ticker — unknown pair: 500 with ["error",10020,"symbol: invalid"].
 */
export const bitfinex: RateSource = {
  baseUrl: "https://api-pub.bitfinex.com",
  path: (currency) => `/v2/ticker/tBTC${currency}`,
  isNotTraded: ({ body }) => failure.safeParse(body).data?.[1] === 10_020,
  read(body) {
    const [bid, , ask] = ticker.parse(body);
    return { price: midPrice(bid, ask), atMs: null };
  },
};
