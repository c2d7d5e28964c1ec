import { invalidField } from "../../domain/errors";
import { mergeMembers, METADATA_MAX_BYTES, rawMember } from "../../domain/invoice/metadata";
import { Invoice } from "../../entities/invoice";
import { InvoiceHistory } from "../../entities/invoice-history";
import { lockInvoice } from "./change-invoice";
import type { CommandContext } from "../context";
import { type InvoiceView, readInvoice } from "./read-invoice";
import { notifyChanges } from "../server/notify-changes";

export interface InvoiceEdits {
  /** JSON text of an object, as sent: its fields are put into the invoice's metadata, `null` takes one away. */
  metadataJson?: string;
  /** Null takes it away. */
  redirectUrl?: string | null;
  /** Null takes away the one that was left on the page, so that another can be left. */
  refundAddress?: null;
}

/**
 * Changes an invoice's fields for its merchant, in any state. Earlier events keep their metadata.
 * @throws DomainError `invoice-not-found`; `validation-failed` at `/metadata/orderId`, which never changes, or at
 * `/metadata` when it grew too large.
 */
export async function editInvoice(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
  { metadataJson = "{}", redirectUrl, refundAddress }: InvoiceEdits,
): Promise<InvoiceView> {
  if (rawMember(metadataJson, "orderId") !== null)
    throw invalidField("/metadata/orderId", "Cannot be changed, because events carry it.");
  await ctx.db.transaction(async (manager) => {
    const invoice = await lockInvoice(manager, invoiceId, storeId);
    const metadata = mergeMembers(invoice.metadata, metadataJson);
    if (Buffer.byteLength(metadata) > METADATA_MAX_BYTES)
      throw invalidField(
        "/metadata",
        `The metadata must have at most ${METADATA_MAX_BYTES / 1024} KiB in total.`,
      );
    const edits = {
      ...(metadata === invoice.metadata ? {} : { metadata }),
      ...(redirectUrl === undefined || redirectUrl === invoice.redirectUrl ? {} : { redirectUrl }),
      ...(refundAddress === undefined || invoice.refundAddress === null ? {} : { refundAddress }),
    };
    const fields = Object.keys(edits);
    if (fields.length === 0) return;
    await manager.update(Invoice, invoiceId, {
      ...edits,
      ...("refundAddress" in edits && { refundAddressAt: null }),
    });
    await manager.insert(InvoiceHistory, {
      invoiceId,
      at: await ctx.now(manager),
      kind: "edited",
      details: { fields },
    });
    await notifyChanges(manager, [{ topic: "invoices", storeId, invoiceId }]);
  });
  return readInvoice(ctx, storeId, invoiceId);
}

/**
 * Puts an invoice away from the list, or back. It is watched all the same, and its events are sent. Asking twice
 * changes nothing.
 * @throws DomainError `invoice-not-found`.
 */
export async function archiveInvoice(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
  archived: boolean,
): Promise<InvoiceView> {
  await ctx.db.transaction(async (manager) => {
    const invoice = await lockInvoice(manager, invoiceId, storeId);
    if ((invoice.archivedAt !== null) === archived) return;
    const at = await ctx.now(manager);
    await manager.update(Invoice, invoiceId, { archivedAt: archived ? at : null });
    const kind = archived ? "archived" : "unarchived";
    await manager.insert(InvoiceHistory, { invoiceId, at, kind, details: {} });
    await notifyChanges(manager, [{ topic: "invoices", storeId, invoiceId }]);
  });
  return readInvoice(ctx, storeId, invoiceId);
}
