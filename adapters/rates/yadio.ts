import { z } from "zod";
import { readPrice } from "../../domain/money/rate";
import type { RateSource } from "./source";

const table = z.object({
  BTC: z.record(z.string(), z.unknown()),
  base: z.literal("BTC"),
  timestamp: z.int().min(0),
});

/** https://yadio.io/api.html — a table of some 140 currencies, many of which no exchange above trades. */
export const yadio: RateSource = {
  baseUrl: "https://api.yadio.io",
  isTable: true,
  path: () => "/exrates/BTC",
  isNotTraded({ status, body }, currency) {
    const rates = table.safeParse(body).data;
    return status === 200 && rates !== undefined && !Object.hasOwn(rates.BTC, currency);
  },
  read(body, currency) {
    const { BTC: rates, timestamp } = table.parse(body);
    return { price: readPrice(rates[currency]), atMs: timestamp };
  },
};
