import { RateUnavailableError, withSpread } from "../../domain/money/rate";
import type { Store } from "../../entities/store";
import type { CommandContext } from "../context";
import { raiseAlert } from "../server/raise-alert";

/** The rate that a store's invoices get now. */
export interface StoreRate {
  /** Units of the currency for one bitcoin, the store's spread taken off: the one that the price is divided by. */
  value: string;
  sources: string[];
  /** RFC 3339. */
  at: string;
  /** Percent, decimal string: already in `value`. */
  spread: string;
  ageSeconds: number;
}

type RatedStore = Pick<Store, "id" | "rateSources" | "rateSpread">;

/** Whose rates are away: the server's, or those of a store that chose its sources. */
export function ratesSubject(currency: string, store: Pick<Store, "id" | "rateSources">): string {
  return store.rateSources === null ? currency : `${currency} ${store.id}`;
}

/**
 * What one bitcoin costs for a store now, from its sources and less its spread. Raises `rates-away` when there is no rate
 * that there should be; reconcile ends it.
 * @throws RateUnavailableError
 */
export async function storeRate(
  ctx: CommandContext,
  store: RatedStore,
  currency: string,
): Promise<StoreRate> {
  try {
    const { value, ...quote } = await ctx.rates.quote(currency, store.rateSources);
    return { ...quote, value: withSpread(value, store.rateSpread), spread: store.rateSpread };
  } catch (error) {
    if (error instanceof RateUnavailableError && error.forNow) await alertRatesAway(ctx, store, currency);
    throw error;
  }
}

async function alertRatesAway(ctx: CommandContext, store: RatedStore, currency: string): Promise<void> {
  const own = store.rateSources !== null;
  await ctx.db.transaction((manager) =>
    raiseAlert(manager, ctx, {
      kind: "rates-away",
      severity: "critical",
      subject: ratesSubject(currency, store),
      ...(own ? { storeId: store.id } : {}),
      message: `No exchange rate for ${currency}${own ? " from the store's sources" : ""}: fewer than two sources answer and agree. Until then invoices in ${currency} are refused.`,
      details: { currency },
    }),
  );
}
