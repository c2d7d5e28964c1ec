import type { EntityManager } from "typeorm";
import type { PaidInvoice } from "../../domain/chain/onchain-payment";
import type { InvoiceStatus } from "../../domain/invoice/status";
import { lockPaid } from "./payment-queries";

export interface LockedPaidInvoice extends PaidInvoice {
  storeId: string;
  status: InvoiceStatus;
  monitoringUntil: Date;
}

/** By id. Whether an arrival is unknown is left to the caller: see record-transactions. */
export async function lockPaidInvoices(
  manager: EntityManager,
  ids: readonly string[],
): Promise<Map<string, LockedPaidInvoice>> {
  const { rows } = await lockPaid(manager, [...new Set(ids)]);
  return new Map(
    rows.map(({ zeroConfMaxSats: cap, ...row }) => [
      row.id,
      { ...row, zeroConfMaxSats: cap === null ? null : BigInt(cap), arrivalUnknown: "nowhere" },
    ]),
  );
}
