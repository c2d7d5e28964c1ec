import { RATE_QUORUM, RATE_SOURCES, type RateSourceName } from "../domain/money/rate-sources";
import { parseFixedRates } from "./fixed-rates";

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
