import type { ratesAnswer } from "../../../api/rates/answer";
import { apiQuery } from "./queries";
import type { Answer } from "./shapes";

type Rate = Answer<typeof ratesAnswer>["data"][number];

/** What new invoices of a store get. Not retried: where the sources do not agree, they will not in a second. */
export const rateQuery = (storeId: string, currency: string) => ({
  ...apiQuery<{ data: Rate[] }>(`/stores/${storeId}/rates`, { currencies: currency }),
  retry: false,
});

/** Whether it has the form of one. */
export const isFiat = (currency: string): boolean => /^[A-Z]{3}$/.test(currency) && currency !== "BTC";

export const satsAt = (price: number, rate: string): number =>
  Math.ceil((price / Number(rate)) * 100_000_000);
