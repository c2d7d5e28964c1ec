import { GAP_LIMIT, readWalletUse } from "../../../commands/wallet-use";
import { ok, warning, type Check, type Database } from "./check";

/** Whether a wallet that is restored from its seed finds every payment: it stops at so many unused addresses in a row. */
export async function gapLimitCheck(db: Database): Promise<Check> {
  const name = "gap-limit";
  const wallets = (await readWalletUse(db))
    .filter(({ unpaidInARow }) => unpaidInARow > GAP_LIMIT)
    .sort((a, b) => b.unpaidInARow - a.unpaidInARow);
  const widest = wallets[0]?.unpaidInARow;
  if (widest === undefined)
    return ok(name, `No wallet has more than ${GAP_LIMIT} unpaid addresses after its last paid one.`);
  const stores = await db.query<{ derivationId: string; ids: string }[]>(
    `SELECT derivation_id AS "derivationId", string_agg(store_id, ', ') AS ids FROM store_payment_methods
      WHERE derivation_id = ANY($1) GROUP BY derivation_id`,
    [wallets.map(({ derivationId }) => derivationId)],
  );
  const idsOf = new Map(stores.map(({ derivationId, ids }) => [derivationId, ids]));
  const gaps = wallets.map(
    ({ derivationId, unpaidInARow }) => `${unpaidInARow} (stores: ${idsOf.get(derivationId) ?? "none"})`,
  );
  return warning(
    name,
    `Unpaid addresses after the last paid one: ${gaps.join("; ")}.`,
    `In the wallets that hold these keys set the gap limit to more than ${widest}, now and after every restore: else they may not show a payment that comes to a later address. With lazyAddresses in a store's settings, invoices whose page nobody opens take no address.`,
  );
}
