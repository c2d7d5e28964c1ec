import type { EntityManager } from "typeorm";
import { DomainError, invalidField } from "../../domain/errors";
import {
  mergeMembers,
  METADATA_MAX_BYTES,
  metadataBytes,
  rawMember,
  withOrderId,
} from "../../domain/invoice/metadata";
import { Invoice } from "../../entities/invoice";
import { InvoiceHistory } from "../../entities/invoice-history";
import { lockInvoice } from "../../database/rows";
import type { CommandContext } from "../context";
import { type InvoiceView, readInvoice } from "./read-invoice";
import { countChangesByHand } from "./queries";
import { notifyChanges } from "../server/notify-changes";
import { inTransaction } from "../transaction";

export interface InvoiceEdits {
  /** An object, as sent: merged, and `null` removes a field. */
  metadataJson?: string;
  /** An object that replaces the metadata; `orderId` may be left out and stays. */
  newMetadataJson?: string;
  redirectUrl?: string | null;
  refundAddress?: null;
}

/**
 * In any state. Earlier events keep their metadata.
 * @throws DomainError `invoice-not-found`; `validation-failed` at `/metadata/orderId`, which never changes, or at
 * `/metadata` if it became too large; `limit-reached`.
 */
export async function editInvoice(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
  edits: InvoiceEdits,
): Promise<InvoiceView> {
  const { metadataJson = "{}", redirectUrl, refundAddress } = edits;
  if (rawMember(metadataJson, "orderId") !== null) throw orderIdStays();
  await inTransaction(ctx, async (tx) => {
    const invoice = await lockInvoice(tx.manager, invoiceId, storeId);
    const metadata = metadataAfter(invoice, edits);
    if (metadataBytes(metadata, invoiceId) > METADATA_MAX_BYTES)
      throw invalidField(
        "/metadata",
        `The metadata must have at most ${METADATA_MAX_BYTES / 1024} KiB in total.`,
      );
    const changes = {
      ...(metadata === invoice.metadata ? {} : { metadata }),
      ...(redirectUrl === undefined || redirectUrl === invoice.redirectUrl ? {} : { redirectUrl }),
      ...(refundAddress === undefined || invoice.refundAddress === null ? {} : { refundAddress }),
    };
    const fields = Object.keys(changes);
    if (fields.length === 0) return;
    await checkChangesByHand(tx.manager, invoiceId, "edits");
    await tx.manager.update(Invoice, invoiceId, {
      ...changes,
      ...("refundAddress" in changes && { refundAddressAt: null }),
    });
    await tx.manager.insert(InvoiceHistory, {
      invoiceId,
      at: await tx.now(),
      kind: "edited",
      details: { fields },
    });
    tx.after(notifyChanges, [{ topic: "invoices", storeId, invoiceId }]);
  });
  return readInvoice(ctx, storeId, invoiceId);
}

function metadataAfter(
  { metadata, orderId }: Invoice,
  { metadataJson = "{}", newMetadataJson }: InvoiceEdits,
): string {
  if (newMetadataJson === undefined) return mergeMembers(metadata, metadataJson);
  const wished = rawMember(newMetadataJson, "orderId");
  if (wished !== null && JSON.parse(wished) !== orderId) throw orderIdStays();
  return withOrderId(newMetadataJson, orderId);
}

function orderIdStays(): DomainError {
  return invalidField("/metadata/orderId", "Cannot be changed, because events carry it.");
}

/**
 * It is still watched, and its events are sent. Idempotent.
 * @throws DomainError `invoice-not-found`, `limit-reached`.
 */
export async function archiveInvoice(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
  archived: boolean,
): Promise<InvoiceView> {
  await inTransaction(ctx, async (tx) => {
    const invoice = await lockInvoice(tx.manager, invoiceId, storeId);
    if ((invoice.archivedAt !== null) === archived) return;
    await checkChangesByHand(tx.manager, invoiceId, "edits");
    const at = await tx.now();
    await tx.manager.update(Invoice, invoiceId, { archivedAt: archived ? at : null });
    const kind = archived ? "archived" : "unarchived";
    await tx.manager.insert(InvoiceHistory, { invoiceId, at, kind, details: {} });
    tx.after(notifyChanges, [{ topic: "invoices", storeId, invoiceId }]);
  });
  return readInvoice(ctx, storeId, invoiceId);
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
