import { RateUnavailableError, withSpread } from "../../domain/money/rate";
import type { Store } from "../../entities/store";
import type { CommandContext } from "../context";
import { raiseAlert } from "../server/raise-alert";
import { inTransaction } from "../transaction";

type RatedStore = Pick<Store, "id" | "rateSources" | "rateSpread">;

/** The server's rates, or those of a store that chose its sources. */
export function ratesSubject(currency: string, store: Pick<Store, "id" | "rateSources">): string {
  return store.rateSources === null ? currency : `${currency} ${store.id}`;
}

/**
 * The spread, in per cent, is included in the value. Raises `rates-away` when a rate is missing that should exist;
 * reconcile ends it.
 * @throws RateUnavailableError
 */
export async function storeRate(ctx: CommandContext, store: RatedStore, currency: string) {
  try {
    const { value, ...quote } = await ctx.rates.quote(currency, store.rateSources);
    return { ...quote, value: withSpread(value, store.rateSpread), spread: store.rateSpread };
  } catch (error) {
    if (error instanceof RateUnavailableError && error.why === "away")
      await alertRatesAway(ctx, store, currency);
    throw error;
  }
}

async function alertRatesAway(ctx: CommandContext, store: RatedStore, currency: string): Promise<void> {
  const own = store.rateSources !== null;
  await inTransaction(ctx, (tx) =>
    raiseAlert(tx, {
      kind: "rates-away",
      severity: "critical",
      subject: ratesSubject(currency, store),
      ...(own ? { storeId: store.id } : {}),
      message: `No exchange rate for ${currency}${own ? " from the store's sources" : ""}: fewer than two sources answer and agree. Until then invoices in ${currency} are refused.`,
      details: { currency },
    }),
  );
}
