import type { CommandContext } from "../context";
import { raiseAlert, resolveAlertsExcept } from "../server/raise-alert";
import { readOneStoreEach } from "./queries";
import { GAP_LIMIT, readWalletUse } from "./wallet-use";

/**
 * Alerts about wallets with more unpaid addresses in a row than the gap limit: a payment to the next may be
 * invisible in the merchant's wallet (never to this service). Resolves the alerts of those that were paid since.
 * Only the last addresses of each wallet are read. Returns how many such wallets there are.
 */
export async function watchGapLimits(ctx: CommandContext): Promise<number> {
  const { manager } = ctx.db;
  const used = await readWalletUse(manager, { lookBack: GAP_LIMIT + 1 });
  const beyond = used.filter(({ unpaidInARow }) => unpaidInARow > GAP_LIMIT);
  const { rows: gaps } = await readOneStoreEach(
    manager,
    beyond.map(({ walletId }) => walletId),
  );
  for (const { walletId, storeId } of gaps)
    await raiseAlert(manager, ctx, {
      kind: "gap-limit",
      severity: "warning",
      subject: walletId,
      storeId,
      message: `The last ${GAP_LIMIT + 1} addresses of this store's wallet were not paid. A wallet looks ${GAP_LIMIT} addresses ahead by default: raise its gap limit, or it may not show a payment to a later one. With the store's setting lazyAddresses, invoices whose page nobody opens take no address.`,
    });
  await resolveAlertsExcept(
    manager,
    ctx,
    "gap-limit",
    gaps.map(({ walletId }) => walletId),
  );
  return gaps.length;
}
