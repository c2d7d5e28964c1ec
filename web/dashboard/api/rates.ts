import type { ratesAnswer } from "../../../api/rates/answer";
import { apiQuery } from "./queries";
import type { Answer } from "./shapes";

type Rate = Answer<typeof ratesAnswer>["data"][number];

/** Not retried: sources that disagree do so a second later. */
export const rateQuery = (storeId: string, currency: string) => ({
  ...apiQuery<{ data: Rate[] }>(`/stores/${storeId}/rates`, { currencies: currency }),
  retry: false,
});

export const isFiat = (currency: string): boolean => /^[A-Z]{3}$/.test(currency) && currency !== "BTC";

export const satsAt = (price: number, rate: string): number =>
  Math.ceil((price / Number(rate)) * 100_000_000);
