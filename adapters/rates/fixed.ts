import type { RatesPort } from "../../commands/ports";
import { DomainError } from "../../domain/errors";

/** Rates that the operator set by hand, by currency: for tests, demonstrations and currencies that no exchange trades. */
export function makeFixedRates(rates: ReadonlyMap<string, string>): RatesPort {
  return {
    quote: (currency) => {
      const value = rates.get(currency);
      if (value === undefined)
        return Promise.reject(
          new DomainError("rate-unavailable", `There is no exchange rate for ${currency} now.`),
        );
      return Promise.resolve({ value, sources: ["fixed"], at: new Date().toISOString() });
    },
  };
}
