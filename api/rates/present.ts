import type { CurrencyRate } from "../../commands/stores/read-rates";

export function presentRates(rates: readonly CurrencyRate[]) {
  return {
    data: rates.map(({ currency, value, sources, ageSeconds }) => ({
      currency,
      rate: value,
      sources,
      ageSeconds,
    })),
  };
}
