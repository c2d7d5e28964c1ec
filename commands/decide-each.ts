import { type EntityManager, In } from "typeorm";
import { after, mark, type Move, settleDown } from "../domain/invoice/decide";
import type { InvoiceFacts, RailFacts } from "../domain/invoice/facts";
import type { Mark } from "../domain/invoice/status";
import type { Invoice } from "../entities/invoice";
import { InvoiceEvent } from "../entities/invoice-event";
import { InvoicePaymentMethod } from "../entities/invoice-payment-method";
import { Payment } from "../entities/payment";
import type { CommandContext } from "./context";
import { type LightningState, readLightningStates } from "./plan-bolt11s";
import { factsOf, railFactsOf, readChainCaughtUp } from "./read-facts";

export interface HandMark {
  to: Mark;
  note: string | null;
}

/** An invoice as it was, and what was decided of it. */
export interface Decided {
  invoice: Invoice;
  methods: readonly InvoicePaymentMethod[];
  payments: readonly Payment[];
  lightning: LightningState | null;
  rails: RailFacts;
  now: Date;
  moves: readonly Move[];
  /** After the moves. */
  facts: InvoiceFacts;
}

/** Reads what is known of invoices that the caller has locked, and decides each. Writes nothing. */
export async function decideEach(
  manager: EntityManager,
  ctx: CommandContext,
  invoices: readonly Invoice[],
  now: Date,
  byHand: HandMark | null,
): Promise<Decided[]> {
  if (invoices.length === 0) return [];
  const where = { invoiceId: In(invoices.map(({ id }) => id)) };
  const paymentsOf = byInvoice(await manager.findBy(Payment, where));
  const eventsOf = byInvoice(
    await manager.find(InvoiceEvent, {
      select: { invoiceId: true, type: true, additionalStatus: true, round: true, byHand: true },
      where,
      order: { seq: "ASC" },
    }),
  );
  const methods = await manager.findBy(InvoicePaymentMethod, where);
  const methodsOf = byInvoice(methods);
  const lightningOf = await readLightningStates(manager, methods);
  const chainCaughtUpTo = await readChainCaughtUp(manager);
  return invoices.map((invoice) => {
    const payments = paymentsOf.get(invoice.id) ?? [];
    const own = methodsOf.get(invoice.id) ?? [];
    const lightning = lightningOf.get(invoice.id) ?? null;
    const rails = railFactsOf(ctx, invoice, { methods: own, lightning, chainCaughtUpTo, now });
    const before = factsOf(invoice, payments, eventsOf.get(invoice.id) ?? []);
    return {
      invoice,
      payments,
      methods: own,
      lightning,
      rails,
      now,
      ...decideAll(before, now, rails, byHand),
    };
  });
}

function byInvoice<T extends { invoiceId: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.invoiceId);
    if (group === undefined) groups.set(row.invoiceId, [row]);
    else group.push(row);
  }
  return groups;
}

function decideAll(
  facts: InvoiceFacts,
  now: Date,
  rails: RailFacts,
  byHand: HandMark | null,
): { moves: Move[]; facts: InvoiceFacts } {
  const due = settleDown(facts, now, rails); // what was due before the mark is told before it
  if (byHand === null) return due;
  const marked = mark(due.facts, byHand.to);
  const rest = settleDown(after(due.facts, marked), now, rails);
  return { moves: [...due.moves, marked, ...rest.moves], facts: rest.facts };
}
