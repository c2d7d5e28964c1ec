import { isFiat } from "../domain/money/currencies";
import { RATE_QUORUM, RATE_SOURCES, type RateSourceName } from "../domain/money/rate-sources";

export type RatesSources =
  | { kind: "fixed"; rates: ReadonlyMap<string, string> }
  | { kind: "exchanges"; names: readonly RateSourceName[] };

const isSource = (name: string): name is RateSourceName => RATE_SOURCES.some((known) => known === name);

/** By RATES_SOURCES. Throws a RangeError with the mistake. */
export function parseRatesSources(entries: readonly string[]): RatesSources {
  const rates = parseFixedRates(entries);
  if (rates !== null) return { kind: "fixed", rates };
  const unknown = entries.find((name) => !isSource(name));
  if (unknown !== undefined)
    throw new RangeError(
      `names "${unknown}", which is not an exchange-rate source. Known sources: ${RATE_SOURCES.join(", ")}`,
    );
  const names = [...new Set(entries.filter(isSource))];
  if (names.length < RATE_QUORUM)
    throw new RangeError(`needs at least ${RATE_QUORUM} sources, because so many must agree on a price`);
  return { kind: "exchanges", names };
}

const HEAD = "fixed:";
const PAIR = /^([A-Z]{3})=(\d+(?:\.\d+)?)$/;

/** `fixed:USD=60000,EUR=55000`, split at its commas. Null: exchanges. @throws RangeError with the mistake. */
function parseFixedRates(sources: readonly string[]): ReadonlyMap<string, string> | null {
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
