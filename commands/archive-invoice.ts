import { Invoice } from "../entities/invoice";
import { InvoiceHistory } from "../entities/invoice-history";
import { lockInvoice } from "./change-invoice";
import type { CommandContext } from "./context";
import { type InvoiceView, readInvoice } from "./read-invoice";
import { tellChanges } from "./tell-change";

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
    await tellChanges(manager, [{ topic: "invoices", storeId, invoiceId }]);
  });
  return readInvoice(ctx, storeId, invoiceId);
}
