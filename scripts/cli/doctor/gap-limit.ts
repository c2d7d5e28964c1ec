import { GAP_LIMIT, readWalletUse } from "../../../commands/wallets/wallet-use";
import { groupBy } from "../../../domain/group-by";
import { StorePaymentMethod } from "../../../entities/store-payment-method";
import { ok, warning, type Database, type Finding } from "./check";

/** Whether a wallet that is restored from its seed finds every payment: it stops at so many unused addresses in a row. */
export async function gapLimitCheck(db: Database): Promise<Finding> {
  const wallets = (await readWalletUse(db.manager))
    .filter(({ unpaidInARow }) => unpaidInARow > GAP_LIMIT)
    .sort((a, b) => b.unpaidInARow - a.unpaidInARow);
  const widest = wallets[0]?.unpaidInARow;
  if (widest === undefined)
    return ok(`No wallet has more than ${GAP_LIMIT} unpaid addresses after its last paid one.`);
  const stores = await db.manager.find(StorePaymentMethod, {
    select: { storeId: true, walletId: true },
    where: wallets.map(({ walletId }) => ({ walletId })),
    order: { storeId: "ASC" },
  });
  const linksOf = groupBy(stores, ({ walletId }) => walletId);
  const gaps = wallets.map(({ walletId, unpaidInARow }) => {
    const ids = (linksOf.get(walletId) ?? []).map(({ storeId }) => storeId);
    return `${unpaidInARow} (stores: ${ids.join(", ") || "none"})`;
  });
  return warning(
    `Unpaid addresses after the last paid one: ${gaps.join("; ")}.`,
    `In the wallets that hold these keys set the gap limit above ${widest}, now and after every restore: otherwise they may not show a payment to a later address. With lazyAddresses in a store's settings, invoices whose page nobody opens take no address.`,
  );
}
