import { In } from "typeorm";
import { StorePaymentMethod } from "../../entities/store-payment-method";
import type { CommandContext } from "../context";
import { raiseAlert, resolveAlertsExcept } from "../server/raise-alert";
import { GAP_LIMIT, readWalletUse } from "./wallet-use";
import { inTransaction } from "../transaction";

/**
 * A payment to the next address may be invisible in the merchant's wallet (never to this service). Resolved when paid
 * since. Returns how many such stores there are.
 */
export async function watchGapLimits(ctx: CommandContext): Promise<number> {
  const { manager } = ctx.db;
  const used = await readWalletUse(manager, { lookBack: GAP_LIMIT + 1 });
  const beyond = used.filter(({ unpaidInARow }) => unpaidInARow > GAP_LIMIT);
  const affected = await manager.findBy(StorePaymentMethod, {
    walletId: In(beyond.map(({ walletId }) => walletId)),
  });
  const subjectOf = ({ storeId, walletId }: StorePaymentMethod): string => `${storeId}:${walletId ?? ""}`;
  await inTransaction(ctx, async (tx) => {
    for (const method of affected)
      await raiseAlert(tx, {
        kind: "gap-limit",
        severity: "warning",
        subject: subjectOf(method),
        storeId: method.storeId,
        message: `None of the last ${GAP_LIMIT + 1} addresses of this store's wallet was paid, or some were skipped. A wallet looks ${GAP_LIMIT} addresses ahead by default: raise its gap limit, or it may not show a payment to a later one. With the store's setting lazyAddresses, invoices whose page nobody opens take no address.`,
      });
    await resolveAlertsExcept(tx, "gap-limit", affected.map(subjectOf));
  });
  return affected.length;
}
