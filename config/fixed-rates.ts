import { isFiat } from "../domain/money/currencies";

const HEAD = "fixed:";
const PAIR = /^([A-Z]{3})=(\d+(?:\.\d+)?)$/;

/** `fixed:USD=60000,EUR=55000`, split at its commas. Null: exchanges. @throws RangeError with the mistake. */
export function parseFixedRates(sources: readonly string[]): ReadonlyMap<string, string> | null {
  if (!sources[0]?.startsWith(HEAD)) return null;
  const rates = new Map<string, string>();
  for (const [index, source] of sources.entries()) {
    const text = index === 0 ? source.slice(HEAD.length) : source;
    const [, currency = "", value = ""] = PAIR.exec(text) ?? [];
    if (!isFiat(currency) || Number(value) === 0)
      throw new RangeError(
        `has "${text}", which is not a fixed rate: use an ISO 4217 currency and the price of one bitcoin, as in fixed:USD=60000,EUR=55000`,
      );
    rates.set(currency, value);
  }
  return rates;
}
