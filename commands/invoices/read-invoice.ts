import type { EntityManager } from "typeorm";
import { DomainError } from "../../domain/errors";
import { groupBy } from "../../domain/group-by";
import { ChainBlock } from "../../entities/chain-block";
import { Invoice } from "../../entities/invoice";
import type { Payment } from "../../entities/payment";
import type { CommandContext } from "../context";
import { countPayments, PAYMENTS_SHOWN, readPayments } from "./queries";
import { readPaidBolt11s } from "../lightning/read-paid-bolt11s";
import { readShownMethods, type ShownMethod } from "../wallets/read-destinations";
import { reading } from "../transaction";
import { alertNotAuthentic } from "../server/alert-not-authentic";

export { PAYMENTS_SHOWN } from "./queries";

export interface InvoiceView {
  invoice: Invoice;
  methods: ShownMethod[];
  /** Oldest first. */
  payments: Payment[];
  /** Beyond a limit those that count least are left out. */
  paymentsOmitted: number;
  /** Null before the first processed block. */
  tipHeight: number | null;
}

/** @throws DomainError `invoice-not-found` also for an invoice of another store. */
export async function readInvoice(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
): Promise<InvoiceView> {
  const invoice = await ctx.db.manager.findOneBy(Invoice, { id: invoiceId, storeId });
  if (!invoice) throw new DomainError("invoice-not-found", "Invoice not found in this store.");
  const [view] = await readInvoices(ctx, [invoice]);
  return view as InvoiceView;
}

export interface InvoiceViewWithBolt11s extends InvoiceView {
  paidBolt11s: ReadonlyMap<string, string>;
}

/** @throws DomainError as `readInvoice`. */
export async function readInvoiceWithBolt11s(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
): Promise<InvoiceViewWithBolt11s> {
  const view = await readInvoice(ctx, storeId, invoiceId);
  const { texts, authentic } = await readPaidBolt11s(reading(ctx), view.payments);
  if (!authentic) await alertNotAuthentic(ctx, [{ storeId, what: { id: invoiceId, type: "BTC-LN" } }]);
  return { ...view, paidBolt11s: texts };
}

/** In their order, a query for each table; up to `PAYMENTS_SHOWN` payments of each. */
export async function readInvoices(
  ctx: CommandContext,
  invoices: readonly Invoice[],
): Promise<InvoiceView[]> {
  const { manager } = ctx.db;
  const invoiceIds = invoices.map(({ id }) => id);
  const [methods, payments, tipHeight] = await Promise.all([
    readShownMethods(ctx, invoices),
    readPayments(manager, invoiceIds),
    manager.maximum(ChainBlock, "height"),
  ]);
  const methodsOf = groupBy(methods, ({ invoiceId }) => invoiceId);
  const paymentsOf = groupBy(payments, ({ invoiceId }) => invoiceId);
  const totals = await countAll(
    manager,
    invoiceIds.filter((id) => paymentsOf.get(id)?.length === PAYMENTS_SHOWN),
  );
  return invoices.map((invoice) => {
    const shown = paymentsOf.get(invoice.id) ?? [];
    return {
      invoice,
      methods: methodsOf.get(invoice.id) ?? [],
      payments: shown,
      paymentsOmitted: Math.max((totals.get(invoice.id) ?? 0) - shown.length, 0),
      tipHeight,
    };
  });
}

async function countAll(
  manager: EntityManager,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (invoiceIds.length === 0) return new Map();
  const { rows } = await countPayments(manager, invoiceIds);
  return new Map(rows.map(({ invoiceId, total }) => [invoiceId, total]));
}
