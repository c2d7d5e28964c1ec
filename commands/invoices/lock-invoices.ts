import type { EntityManager } from "typeorm";
import { unindexed } from "../../database/unindexed";
import { Invoice } from "../../entities/invoice";
import { findRows } from "../../database/find-rows";

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

/** Ordered by id, like every lock of several. Unknown ones are left out. */
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
