import { DomainError, invalidField } from "../domain/errors";
import { Store } from "../entities/store";
import type { CommandContext } from "./context";
import { writeAudit } from "./write-audit";

const SKIP_MAX = 1_000_000;
const INDEX_MAX = 0x7fff_ffff;

/**
 * Leaves out the next addresses of a store's wallet, for one that gave out some of them elsewhere. Answers the index
 * of the address that comes next. All stores with this wallet are moved on.
 * @throws DomainError `validation-failed` at `/by`, `store-not-found`, `payment-method-unavailable`.
 */
export async function skipAddresses(ctx: CommandContext, storeId: string, by: number): Promise<number> {
  if (!Number.isInteger(by) || by < 1 || by > SKIP_MAX)
    throw invalidField("/by", `Must be a whole number from 1 to ${SKIP_MAX}.`);
  return ctx.db.transaction(async (manager) => {
    if (!(await manager.existsBy(Store, { id: storeId })))
      throw new DomainError("store-not-found", "There is no such store.");
    const [rows] = await manager.query<[{ next_index: number }[], number]>(
      `UPDATE derivations SET next_index = least(next_index::bigint + $2, ${INDEX_MAX})
         FROM store_payment_methods method
        WHERE method.store_id = $1 AND method.type = 'BTC-CHAIN' AND method.derivation_id = derivations.id
        RETURNING next_index`,
      [storeId, by],
    );
    const [row] = rows;
    if (row === undefined)
      throw new DomainError("payment-method-unavailable", "This store has no wallet for on-chain payments.");
    await writeAudit(manager, ctx, {
      action: "wallet.skipped",
      storeId,
      subject: storeId,
      details: { by, nextIndex: row.next_index },
    });
    return row.next_index;
  });
}
