import type { RatesPort } from "../../commands/ports";
import { RateUnavailableError } from "../../domain/money/rate";
import { RATE_SOURCES } from "../../domain/money/rate-sources";

/** By the operator: for tests, demonstrations and currencies that no exchange trades. */
export function makeFixedRates(rates: ReadonlyMap<string, string>): RatesPort {
  return {
    sources: RATE_SOURCES, // a store's choice applies only when exchanges are used
    async quote(currency) {
      const value = rates.get(currency);
      if (value === undefined)
        throw new RateUnavailableError(
          `This server has no exchange rate for ${currency}. Use another currency, BTC or SATS.`,
          "not-traded",
        );
      return { value, sources: ["fixed"], at: new Date().toISOString(), ageSeconds: 0 };
    },
  };
}
