import { isPaidInFull } from "../../domain/invoice/may-ask-for-receipt";
import { InvoiceHistory } from "../../entities/invoice-history";
import { lockInvoice } from "../../database/rows";
import type { CommandContext } from "../context";
import type { SendMail } from "../ports";
import { readCheckout } from "../invoices/read-checkout";
import { mailEach, type MailEnd, mailFailure } from "../server/mailing";
import { notifyChanges } from "../server/notify-changes";
import { inTransaction } from "../transaction";
import { receiptMail } from "./receipt-mail";
import { claimReceipt, type DueReceipt, endReceipt, findDueReceipts } from "./receipt-queries";

/**
 * To the customers who asked for one, when their invoice is paid. Sent twice only if the process dies between the mail
 * and its record.
 * @returns how many mails were accepted.
 */
export async function sendReceipts(ctx: CommandContext): Promise<number> {
  const send = ctx.sendMail;
  if (send === null) return 0;
  const { rows } = await findDueReceipts(ctx.db.manager, await ctx.now(ctx.db.manager));
  return mailEach(rows, (due) => sendOne(ctx, send, due));
}

async function sendOne(
  ctx: CommandContext,
  send: SendMail,
  { invoiceId, email, language, tries }: DueReceipt,
): Promise<MailEnd> {
  const { manager } = ctx.db;
  const { count } = await claimReceipt(manager, invoiceId, email, tries, await ctx.now(manager));
  if (count === 0) return "none";
  const facts = await readCheckout(ctx, invoiceId);
  if (!facts.store.receiptsByMail || !isPaidInFull(facts.view.invoice)) return "none";
  try {
    await send({ to: email, ...receiptMail(facts, language, ctx.settings.publicUrl) });
  } catch (error) {
    const { failure, cause } = mailFailure(error);
    ctx.log.warn({ invoiceId, cause }, "mail: receipt not sent");
    if (failure === "refused") await end(ctx, { invoiceId, email, sent: false });
    return failure;
  }
  await end(ctx, { invoiceId, email, sent: true });
  return "sent";
}

/** The address is deleted. */
async function end(
  ctx: CommandContext,
  { invoiceId, email, sent }: { invoiceId: string; email: string; sent: boolean },
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const { storeId } = await lockInvoice(tx.manager, invoiceId);
    const at = await tx.now();
    const { count } = await endReceipt(tx.manager, invoiceId, email, sent ? at : null);
    if (count === 0) return;
    const kind = sent ? "receipt-sent" : "receipt-refused";
    await tx.manager.insert(InvoiceHistory, { invoiceId, at, kind, details: {} });
    tx.after(notifyChanges, [{ topic: "invoices", storeId, invoiceId }]);
  });
}
