import { DomainError } from "../../domain/errors";
import { Invoice } from "../../entities/invoice";
import { InvoiceHistory } from "../../entities/invoice-history";
import { lockInvoice } from "../../database/rows";
import type { CommandContext } from "../context";
import { notifyChanges } from "../server/notify-changes";
import { inTransaction } from "../transaction";

/**
 * On regtest only. It then expires like any other; the end of monitoring does not change.
 * @throws DomainError `invoice-not-found`; `invalid-transition` when its time is up already or no longer has an effect.
 */
export async function expireTestInvoice(ctx: CommandContext, invoiceId: string): Promise<void> {
  if (ctx.settings.network !== "regtest") throw new Error("Invoices can be expired early on regtest only.");
  await inTransaction(ctx, async (tx) => {
    const invoice = await lockInvoice(tx.manager, invoiceId);
    const now = await tx.now();
    const waits = invoice.status === "New" || invoice.status === "Processing";
    if (!waits || now >= invoice.expiresAt)
      throw new DomainError("invalid-transition", "The invoice has already expired.");
    const monitoringMs = invoice.monitoringUntil.getTime() - invoice.expiresAt.getTime();
    await tx.manager.update(Invoice, invoiceId, {
      expiresAt: now,
      monitoringUntil: new Date(now.getTime() + monitoringMs),
      decideAt: now,
    });
    await tx.manager.insert(InvoiceHistory, {
      invoiceId,
      at: now,
      kind: "edited",
      details: { fields: ["expiresAt"] },
    });
    tx.after(notifyChanges, [{ topic: "invoices", storeId: invoice.storeId, invoiceId }]);
  });
  await ctx.enqueue("invoices", [{ invoiceId }]);
}
