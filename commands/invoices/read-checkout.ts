import { type EntityManager, In } from "typeorm";
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
  const facts = (await readCheckouts(ctx, [invoiceId])).get(invoiceId);
  if (facts === undefined) throw new DomainError("invoice-not-found", "Invoice not found.");
  return facts;
}

/** With as many queries as for one. Unknown ones are left out. */
export async function readCheckouts(
  ctx: CommandContext,
  invoiceIds: readonly string[],
): Promise<Map<string, CheckoutFacts>> {
  const { manager } = ctx.db;
  const possible = invoiceIds.filter((id) => INVOICE_ID.test(id));
  const invoices = possible.length === 0 ? [] : await manager.findBy(Invoice, { id: In(possible) });
  if (invoices.length === 0) return new Map();
  const [views, stores] = await Promise.all([
    readInvoices(ctx, invoices),
    manager.findBy(Store, { id: In([...new Set(invoices.map(({ storeId }) => storeId))]) }),
  ]);
  const mails = ctx.sendMail !== null;
  const receipts = mails ? await readReceipts(manager, invoices, stores) : new Map<string, ReceiptMail>();
  const now = await ctx.now(manager);
  const storeOf = new Map(stores.map((store) => [store.id, store]));
  return new Map(
    views.map((view) => {
      const { invoice } = view;
      const store = storeOf.get(invoice.storeId);
      if (store === undefined) throw new Error(`invoice ${invoice.id} has no store`);
      const receipt = receipts.get(invoice.id) ?? null;
      return [
        invoice.id,
        { view, store, receipt, offersReceipt: offersReceipt({ mails, invoice, store, receipt }), now },
      ];
    }),
  );
}

/** `mails`: the server has a mail server. */
export const offersReceipt = (of: {
  mails: boolean;
  invoice: Invoice;
  store: Store;
  receipt: ReceiptMail | null;
}): boolean => of.mails && of.store.receiptsByMail && mayAskForReceipt(of.invoice, of.receipt);

/** A store that offers none costs no query. */
async function readReceipts(
  manager: EntityManager,
  invoices: readonly Invoice[],
  stores: readonly Store[],
): Promise<ReadonlyMap<string, ReceiptMail>> {
  const offering = new Set(stores.flatMap(({ id, receiptsByMail }) => (receiptsByMail ? [id] : [])));
  const ids = invoices.flatMap(({ id, storeId }) => (offering.has(storeId) ? [id] : []));
  if (ids.length === 0) return new Map();
  const receipts = await manager.findBy(ReceiptMail, { invoiceId: In(ids) });
  return new Map(receipts.map((receipt) => [receipt.invoiceId, receipt]));
}

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
