import { DomainError } from "../../domain/errors";
import { mayAskForReceipt } from "../../domain/invoice/may-ask-for-receipt";
import { Invoice } from "../../entities/invoice";
import { ReceiptMail } from "../../entities/receipt-mail";
import { Store } from "../../entities/store";
import type { CommandContext } from "../context";
import { readInvoices, type InvoiceView } from "./read-invoice";
import { awaitsAddress, awaitsChoice, giveAddress } from "./give-address";

/** The page shows only what customers may see. */
export interface CheckoutFacts {
  view: InvoiceView;
  store: Store;
  /** A receipt by mail that was asked for. */
  receipt: ReceiptMail | null;
  offersReceipt: boolean;
  /** Read after the rest: no shown payment is in the future. */
  now: Date;
}

const INVOICE_ID = /^inv_[1-9A-HJ-NP-Za-km-z]{22,64}$/;

/**
 * Everybody who has the id may see the page, also of archived invoices, since customers keep links.
 * @throws DomainError `invoice-not-found`
 */
export async function readCheckout(ctx: CommandContext, invoiceId: string): Promise<CheckoutFacts> {
  const { manager } = ctx.db;
  const invoice = INVOICE_ID.test(invoiceId) ? await manager.findOneBy(Invoice, { id: invoiceId }) : null;
  if (invoice === null) throw new DomainError("invoice-not-found", "Invoice not found.");
  const [[view], store] = await Promise.all([
    readInvoices(ctx, [invoice]),
    manager.findOneByOrFail(Store, { id: invoice.storeId }),
  ]);
  const mails = ctx.sendMail !== null;
  // A store that offers none costs no query.
  const receipt = mails && store.receiptsByMail ? await manager.findOneBy(ReceiptMail, { invoiceId }) : null;
  const now = await ctx.now(manager);
  return {
    view: view as InvoiceView,
    store,
    receipt,
    offersReceipt: offersReceipt({ mails, invoice, store, receipt }),
    now,
  };
}

/** `mails`: the server has a mail server. */
export const offersReceipt = (of: {
  mails: boolean;
  invoice: Invoice;
  store: Store;
  receipt: ReceiptMail | null;
}): boolean => of.mails && of.store.receiptsByMail && mayAskForReceipt(of.invoice, of.receipt);

/**
 * Allocates a lazy address, and with `chosen` also one that the customer chooses. If that fails, the page has the other
 * payment methods, and the next opening tries again.
 * @throws DomainError `invoice-not-found`
 */
export async function openCheckout(
  ctx: CommandContext,
  invoiceId: string,
  { chosen = false } = {},
): Promise<CheckoutFacts> {
  const facts = await readCheckout(ctx, invoiceId);
  const { view, now } = facts;
  if (!awaitsAddress(view, now) && !(chosen && awaitsChoice(view, now))) return facts;
  try {
    await giveAddress(ctx, view.invoice.storeId, invoiceId);
  } catch (error) {
    ctx.log.warn({ invoiceId, err: error }, "checkout: no address for an opened invoice");
  }
  return readCheckout(ctx, invoiceId);
}
