import { IsNull } from "typeorm";
import { RateUnavailableError } from "../../domain/money/rate";
import { Alert } from "../../entities/alert";
import { Store } from "../../entities/store";
import type { CommandContext } from "../context";
import { resolveAlert } from "../server/raise-alert";
import { ratesSubject } from "./store-rate";
import { inTransaction } from "../transaction";

/**
 * Sources are queried only while an alert is open: any process that needs a rate raises it, and this one ends it.
 * @returns how many ended.
 */
export async function endRatesAlerts(ctx: CommandContext): Promise<number> {
  const open = await ctx.db.manager.findBy(Alert, { kind: "rates-away", resolvedAt: IsNull() });
  let ended = 0;
  for (const alert of open) {
    if (await stillAway(ctx, alert)) continue;
    await inTransaction(ctx, (tx) => resolveAlert(tx, "rates-away", alert.subject));
    ended += 1;
  }
  return ended;
}

async function stillAway(ctx: CommandContext, { subject, storeId, details }: Alert): Promise<boolean> {
  const { currency = "" } = details ?? {};
  let only: readonly string[] | null = null;
  if (storeId !== null) {
    const store = await ctx.db.manager.findOneBy(Store, { id: storeId });
    if (store === null || ratesSubject(currency, store) !== subject) return false;
    only = store.rateSources;
  }
  try {
    await ctx.rates.quote(currency, only);
    return false;
  } catch (error) {
    if (!(error instanceof RateUnavailableError)) throw error;
    return error.why !== "not-traded";
  }
}
