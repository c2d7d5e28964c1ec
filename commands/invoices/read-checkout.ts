import { In } from "typeorm";
import { DomainError } from "../../domain/errors";
import { Invoice } from "../../entities/invoice";
import { Store } from "../../entities/store";
import type { CommandContext } from "../context";
import { readInvoices, type InvoiceView } from "./read-invoice";
import { awaitsAddress, giveAddress } from "../wallets/give-address";

/** What the page of an invoice is made of. It is the customer's: the page picks out what they may see. */
export interface CheckoutFacts {
  view: InvoiceView;
  store: Store;
  /** By the database's clock, after the rest was read: a payment that is shown is never of the future. */
  now: Date;
}

const INVOICE_ID = /^inv_[1-9A-HJ-NP-Za-km-z]{22,64}$/;

/**
 * By the invoice's id only: whoever has it may see the page. Archived ones are found too, since customers keep links.
 * @throws DomainError `invoice-not-found`
 */
export async function readCheckout(ctx: CommandContext, invoiceId: string): Promise<CheckoutFacts> {
  const facts = (await readCheckouts(ctx, [invoiceId])).get(invoiceId);
  if (facts === undefined) throw new DomainError("invoice-not-found", "Invoice not found.");
  return facts;
}

/** Many, with as many questions as for one. What does not exist is left out. */
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
  const now = await ctx.now(manager);
  const storeOf = new Map(stores.map((store) => [store.id, store]));
  return new Map(
    views.map((view) => {
      const store = storeOf.get(view.invoice.storeId);
      if (store === undefined) throw new Error(`invoice ${view.invoice.id} has no store`);
      return [view.invoice.id, { view, store, now }];
    }),
  );
}

/**
 * A customer opens the page: an invoice that waits for that gets its address. The page is shown without it where it
 * cannot be given, with the other ways to pay; the next opening tries again.
 * @throws DomainError `invoice-not-found`
 */
export async function openCheckout(ctx: CommandContext, invoiceId: string): Promise<CheckoutFacts> {
  const facts = await readCheckout(ctx, invoiceId);
  const { view, now } = facts;
  if (!awaitsAddress(view, now)) return facts;
  try {
    await giveAddress(ctx, view.invoice.storeId, invoiceId);
  } catch (error) {
    ctx.log.warn({ invoiceId, err: error }, "checkout: no address for an opened invoice");
  }
  return readCheckout(ctx, invoiceId);
}
