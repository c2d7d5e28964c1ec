import type { RatesPort } from "../../commands/ports";
import { isFiat } from "../../domain/currencies";
import { DomainError } from "../../domain/errors";

const HEAD = "fixed:";
const PAIR = /^([A-Z]{3})=(\d+(?:\.\d+)?)$/;

/** Whether `RATES_SOURCES` names fixed rates and no exchange. */
export function isFixedRates(sources: readonly string[]): boolean {
  return sources[0]?.startsWith(HEAD) ?? false;
}

/** Reads `fixed:USD=60000,EUR=55000`, which the settings split at its commas. Throws RangeError naming what is wrong. */
function parseFixedRates(sources: readonly string[]): ReadonlyMap<string, string> {
  const rates = new Map<string, string>();
  for (const [index, source] of sources.entries()) {
    const text = index === 0 ? source.slice(HEAD.length) : source;
    const [, currency = "", value = ""] = PAIR.exec(text) ?? [];
    if (!isFiat(currency) || Number(value) === 0)
      throw new RangeError(
        `RATES_SOURCES: "${text}" is no fixed rate; write an ISO 4217 currency and the price of one bitcoin, as in fixed:USD=60000,EUR=55000`,
      );
    rates.set(currency, value);
  }
  return rates;
}

/** Rates that the operator set by hand: for tests, demonstrations and currencies that no exchange trades. No sources: no rates, and prices in BTC and SATS alone. */
export function makeFixedRates(sources: readonly string[]): RatesPort {
  const rates = parseFixedRates(sources);
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
