import { readEmail } from "../../domain/account/email";
import { InvoiceHistory } from "../../entities/invoice-history";
import { ReceiptMail } from "../../entities/receipt-mail";
import { lockInvoice } from "../../database/rows";
import type { CommandContext } from "../context";
import { offersReceipt, readCheckout } from "../invoices/read-checkout";
import { notifyChanges } from "../server/notify-changes";
import { inTransaction } from "../transaction";

/** `no-email`: not an address; `closed`: none is sent, or no other address is accepted. */
export type ReceiptAnswer = "left" | "no-email" | "closed";

/**
 * Everybody with the page's link may; the last address is sent the receipt. Idempotent.
 * @throws DomainError `invoice-not-found`
 */
export async function askForReceipt(
  ctx: CommandContext,
  invoiceId: string,
  { typed, languageFor }: { typed: string; languageFor: (ofInvoice: string | null) => string },
): Promise<ReceiptAnswer> {
  const { store } = await readCheckout(ctx, invoiceId);
  const mails = ctx.sendMail !== null;
  const email = readEmail(typed);
  return inTransaction(ctx, async (tx) => {
    const invoice = await lockInvoice(tx.manager, invoiceId);
    const receipt = await tx.manager.findOneBy(ReceiptMail, { invoiceId });
    // First, so that nobody can try out which address was left.
    if (!offersReceipt({ mails, invoice, store, receipt })) return "closed";
    if (email === null) return "no-email";
    if (receipt?.email === email) return "left";
    const language = languageFor(invoice.language);
    const asks = (receipt?.asks ?? 0) + 1;
    const asked = { invoiceId, storeId: store.id, email, language, asks, tries: 0, mailedAt: null };
    await tx.manager.upsert(ReceiptMail, asked, ["invoiceId"]);
    const at = await tx.now();
    await tx.manager.insert(InvoiceHistory, { invoiceId, at, kind: "receipt-asked", details: {} });
    tx.after(notifyChanges, [{ topic: "invoices", storeId: store.id, invoiceId }]);
    return "left";
  });
}
