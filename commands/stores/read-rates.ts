import { isFiat } from "../../domain/money/currencies";
import { DomainError, invalidField } from "../../domain/errors";
import { Store } from "../../entities/store";
import type { CommandContext } from "../context";
import { storeRate } from "./store-rate";

/**
 * In the requested order.
 * @throws DomainError `store-not-found`; `validation-failed` at `/currencies` for anything but a fiat currency;
 * `rate-unavailable` when one of them has no rate.
 */
export async function readRates(ctx: CommandContext, storeId: string, currencies: readonly string[]) {
  const unknown = currencies.find((currency) => !isFiat(currency));
  if (unknown === "BTC" || unknown === "SATS")
    throw invalidField("/currencies", "BTC and SATS need no exchange rate.");
  if (unknown !== undefined)
    throw invalidField("/currencies", "Must be active ISO 4217 currency codes in capitals.");
  const store = await ctx.db.manager.findOneBy(Store, { id: storeId });
  if (store === null) throw new DomainError("store-not-found", "Store not found.");
  return Promise.all(
    currencies.map(async (currency) => ({ currency, ...(await storeRate(ctx, store, currency)) })),
  );
}
