import type { EntityManager } from "typeorm";
import type { PaidInvoice } from "../../domain/chain/onchain-payment";
import { DomainError } from "../../domain/errors";
import type { InvoiceStatus } from "../../domain/invoice/status";
import { Invoice } from "../../entities/invoice";
import { lockPaid } from "./decision-queries";
import { countChangesByHand } from "./queries";

// Held until the transaction ends; several in the order of their ids, so that two processes never deadlock.

export { type LockedInvoice, lockDueInvoices, lockInvoices } from "./decision-queries";

/**
 * With all columns.
 * @throws DomainError `invoice-not-found`, also for an invoice of another store if a store is given.
 */
export async function lockInvoice(
  manager: EntityManager,
  invoiceId: string,
  storeId?: string,
): Promise<Invoice> {
  const lock = { mode: "pessimistic_write" } as const;
  const where = { id: invoiceId, ...(storeId === undefined ? {} : { storeId }) };
  const invoice = await manager.findOne(Invoice, { where, lock });
  if (!invoice) throw invoiceNotFound();
  return invoice;
}

/** Reading and erasing an invoice's history must stay quick. */
const CHANGES_BY_HAND_MAX = 1_000;

/**
 * The caller has locked the invoice. The service's own changes, and erasing, are never refused.
 * @throws DomainError `limit-reached`
 */
export async function checkChangesByHand(
  manager: EntityManager,
  invoiceId: string,
  kind: "marks" | "edits",
): Promise<void> {
  const { rows } = await countChangesByHand(manager, invoiceId);
  if (rows.every((made) => made[kind] < CHANGES_BY_HAND_MAX)) return;
  const done = kind === "marks" ? "marked" : "edited";
  throw new DomainError(
    "limit-reached",
    `An invoice can be ${done} by hand at most ${CHANGES_BY_HAND_MAX} times. It can still be paid, read and erased.`,
  );
}

export function invoiceNotFound(): DomainError {
  return new DomainError("invoice-not-found", "Invoice not found.");
}

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
