import type { EntityManager } from "typeorm";
import { unindexed } from "../../database/unindexed";
import type { PaidInvoice } from "../../domain/chain/onchain-payment";
import { DomainError } from "../../domain/errors";
import type { InvoiceStatus } from "../../domain/invoice/status";
import { Invoice } from "../../entities/invoice";
import { findRows } from "../../database/find-rows";
import { lockPaid } from "./queries";

// The locks of invoices' rows, until the transaction ends. Several are locked in the order of their ids, so that two
// processes that lock several never deadlock.

/**
 * One invoice with all of its columns.
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

export function invoiceNotFound(): DomainError {
  return new DomainError("invoice-not-found", "Invoice not found.");
}

const OF_INVOICES = [
  "id",
  "storeId",
  "status",
  "additionalStatus",
  "markedByHand",
  "dueSats",
  "minDueSats",
  "paidSats",
  "confirmedSats",
  "metadata",
  "createdAt",
  "expiresAt",
  "monitoringUntil",
  "decideAt",
  "expiryHeld",
] as const;

/** The columns that a decision needs. */
export type LockedInvoice = Pick<Invoice, (typeof OF_INVOICES)[number]>;

/** For their decisions. Unknown ones are left out. */
export async function lockInvoices(
  manager: EntityManager,
  invoiceIds: readonly string[],
): Promise<LockedInvoice[]> {
  return findRows(manager, Invoice, {
    select: OF_INVOICES,
    rest: "WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE",
    values: [invoiceIds],
  });
}

/**
 * `lockInvoices` without those that another process has locked, or that are neither due nor held any more: if
 * another process has decided them meanwhile, they are neither locked nor read.
 */
export async function lockDueInvoices(
  manager: EntityManager,
  invoiceIds: readonly string[],
  dueBy: Date,
): Promise<LockedInvoice[]> {
  return findRows(manager, Invoice, {
    select: OF_INVOICES,
    rest: `WHERE id = ANY($1::text[]) AND (${unindexed("decide_at")} <= $2::timestamptz OR ${unindexed("expiry_held")})
           ORDER BY id FOR UPDATE SKIP LOCKED`,
    values: [invoiceIds, dueBy],
  });
}

export interface LockedPaidInvoice extends PaidInvoice {
  storeId: string;
  status: InvoiceStatus;
}

/**
 * The invoices by id, with what recording a payment needs. Whether an arrival is unknown is left to the caller that needs
 * it: see record-transactions.
 */
export async function lockPaidInvoices(
  manager: EntityManager,
  ids: readonly string[],
): Promise<Map<string, LockedPaidInvoice>> {
  const { rows } = await lockPaid(manager, [...new Set(ids)]);
  return new Map(
    rows.map(({ zeroConfMaxSats: cap, ...row }) => [
      row.id,
      { ...row, zeroConfMaxSats: cap === null ? null : BigInt(cap), arrivalUnknown: false },
    ]),
  );
}
