import { DomainError, invalidField } from "../../domain/errors";
import { ADDRESS_INDEX_MAX } from "../../domain/wallet/address-index";
import { Wallet } from "../../entities/wallet";
import { Store } from "../../entities/store";
import { StorePaymentMethod } from "../../entities/store-payment-method";
import type { CommandContext } from "../context";
import { alertOfJump } from "./shared-wallet";
import { writeAudit } from "../server/write-audit";
import { inTransaction } from "../transaction";

const SKIP_MAX = 1_000_000;

/**
 * They were given out elsewhere. Returns the next index; it moves for all stores of the wallet, and they are alerted.
 * @throws DomainError `validation-failed` at `/by`, `store-not-found`, `payment-method-unavailable`.
 */
export async function skipAddresses(ctx: CommandContext, storeId: string, by: number): Promise<number> {
  if (!Number.isInteger(by) || by < 1 || by > SKIP_MAX)
    throw invalidField("/by", `Must be a whole number from 1 to ${SKIP_MAX}.`);
  return inTransaction(ctx, async (tx) => {
    if (!(await tx.manager.existsBy(Store, { id: storeId })))
      throw new DomainError("store-not-found", "Store not found.");
    const method = await tx.manager.findOneBy(StorePaymentMethod, { storeId, type: "BTC-CHAIN" });
    if (!method?.walletId)
      throw new DomainError("payment-method-unavailable", "This store has no wallet for on-chain payments.");
    const { id, nextIndex: from } = await tx.manager.findOneOrFail(Wallet, {
      where: { id: method.walletId },
      lock: { mode: "for_no_key_update" },
    });
    const to = from + by;
    if (to > ADDRESS_INDEX_MAX)
      throw invalidField("/by", `This wallet has ${ADDRESS_INDEX_MAX - from} addresses left.`);
    await tx.manager.update(Wallet, id, { nextIndex: to });
    await alertOfJump(tx, id, { from, to });
    await writeAudit(tx, {
      action: "wallet.skipped",
      storeId,
      subject: storeId,
      details: { by, nextIndex: to },
    });
    return to;
  });
}
