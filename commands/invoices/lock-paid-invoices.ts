import type { EntityManager } from "typeorm";
import type { PaidInvoice } from "../../domain/chain/onchain-payment";
import { lockPaid } from "./queries";

export interface LockedPaidInvoice extends PaidInvoice {
  storeId: string;
  status: string;
}

/** The invoices by id. Locked in the order of their ids, so that two processes that lock several never deadlock. */
export async function lockPaidInvoices(
  manager: EntityManager,
  ids: readonly string[],
): Promise<Map<string, LockedPaidInvoice>> {
  const { rows } = await lockPaid(manager, [...new Set(ids)]);
  return new Map(
    rows.map(({ zeroConfMaxSats: cap, ...row }) => [
      row.id,
      { ...row, zeroConfMaxSats: cap === null ? null : BigInt(cap), expiryHeld: false },
    ]),
  );
}
