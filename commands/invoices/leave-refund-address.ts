import { type AddressFault, readTypedAddress } from "../../domain/wallet/typed-address";
import { mayLeaveRefundAddress } from "../../domain/invoice/may-leave-refund-address";
import { Invoice } from "../../entities/invoice";
import { InvoiceHistory } from "../../entities/invoice-history";
import { WatchedScript } from "../../entities/watched-script";
import { lockInvoice } from "../../database/rows";
import type { CommandContext } from "../context";
import { readCheckout } from "./read-checkout";
import { notifyChanges } from "../server/notify-changes";
import { inTransaction } from "../transaction";

/**
 * `taken`: there is one; `not-needed`: no refund can be due; `own`: an invoice's address, where it would be another
 * payment.
 */
export type RefundAddressAnswer = "left" | "taken" | "not-needed" | "own" | AddressFault;

/**
 * Everybody with the page's link may, but only once: the first address stays until the merchant clears it. Idempotent.
 * @throws DomainError `invoice-not-found`
 */
export async function leaveRefundAddress(
  ctx: CommandContext,
  invoiceId: string,
  text: string,
): Promise<RefundAddressAnswer> {
  await readCheckout(ctx, invoiceId);
  const typed = readTypedAddress(text, ctx.settings.network);
  return inTransaction(ctx, async (tx) => {
    const invoice = await lockInvoice(tx.manager, invoiceId);
    if (invoice.refundAddress !== null)
      return "address" in typed && typed.address === invoice.refundAddress ? "left" : "taken";
    if (!mayLeaveRefundAddress(invoice)) return "not-needed";
    if ("fault" in typed) return typed.fault;
    const { address, scriptPubKey } = typed;
    if (await tx.manager.existsBy(WatchedScript, { scriptPubKey })) return "own";
    const at = await tx.now();
    await tx.manager.update(Invoice, invoiceId, { refundAddress: address, refundAddressAt: at });
    await tx.manager.insert(InvoiceHistory, { invoiceId, at, kind: "refund-address", details: {} });
    tx.after(notifyChanges, [{ topic: "invoices", storeId: invoice.storeId, invoiceId }]);
    return "left";
  });
}
