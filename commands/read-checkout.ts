import { DomainError } from "../domain/errors";
import { Invoice } from "../entities/invoice";
import { Store } from "../entities/store";
import type { CommandContext } from "./context";
import { readInvoices, type InvoiceView } from "./read-invoice";

/** What the page of an invoice is made of. It is the customer's: the page picks out what they may see. */
export interface CheckoutFacts {
  view: InvoiceView;
  store: Store;
  /** By the database's clock, after the rest was read: a payment that is shown is never of the future. */
  now: Date;
}

const INVOICE_ID = /^inv_[1-9A-HJ-NP-Za-km-z]{22,64}$/;

/**
 * By the invoice's id alone: who knows it may see the page. Archived ones are found too, since customers keep links.
 * @throws DomainError `invoice-not-found`
 */
export async function readCheckout(ctx: CommandContext, invoiceId: string): Promise<CheckoutFacts> {
  const { manager } = ctx.db;
  const invoice = INVOICE_ID.test(invoiceId) ? await manager.findOneBy(Invoice, { id: invoiceId }) : null;
  if (invoice === null) throw new DomainError("invoice-not-found", "There is no such invoice.");
  const [view] = await readInvoices(ctx, [invoice]);
  const store = await manager.findOneByOrFail(Store, { id: invoice.storeId });
  return { view: view as InvoiceView, store, now: await ctx.now(manager) };
}
