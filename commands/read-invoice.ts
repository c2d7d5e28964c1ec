import { In } from "typeorm";
import { DomainError } from "../domain/errors";
import { ChainBlock } from "../entities/chain-block";
import { Invoice } from "../entities/invoice";
import { InvoicePaymentMethod } from "../entities/invoice-payment-method";
import { Payment } from "../entities/payment";
import type { CommandContext } from "./context";

/** An invoice with what a reader of it asks about. */
export interface InvoiceView {
  invoice: Invoice;
  methods: InvoicePaymentMethod[];
  /** Oldest first. */
  payments: Payment[];
  /** Height of the last processed block; null before the first. Confirmations are counted from it. */
  tipHeight: number | null;
}

/** @throws DomainError `invoice-not-found` also for an invoice of another store. */
export async function readInvoice(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
): Promise<InvoiceView> {
  const invoice = await ctx.db.manager.findOneBy(Invoice, { id: invoiceId, storeId });
  if (!invoice) throw new DomainError("invoice-not-found", "This store has no such invoice.");
  const [view] = await readInvoices(ctx, [invoice]);
  return view as InvoiceView;
}

/** The views of many invoices, in their order, with one query a kind. */
export async function readInvoices(
  ctx: CommandContext,
  invoices: readonly Invoice[],
): Promise<InvoiceView[]> {
  const invoiceId = In(invoices.map((invoice) => invoice.id));
  const [methods, payments, tipHeight] = await Promise.all([
    ctx.db.manager.find(InvoicePaymentMethod, { where: { invoiceId }, order: { type: "ASC" } }),
    ctx.db.manager.find(Payment, { where: { invoiceId }, order: { firstSeenAt: "ASC", id: "ASC" } }),
    ctx.db.manager.maximum(ChainBlock, "height"),
  ]);
  const methodsOf = byInvoice(methods);
  const paymentsOf = byInvoice(payments);
  return invoices.map((invoice) => ({
    invoice,
    methods: methodsOf.get(invoice.id) ?? [],
    payments: paymentsOf.get(invoice.id) ?? [],
    tipHeight,
  }));
}

function byInvoice<T extends { invoiceId: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.invoiceId);
    if (group) group.push(row);
    else groups.set(row.invoiceId, [row]);
  }
  return groups;
}
