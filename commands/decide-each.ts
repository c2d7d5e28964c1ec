import type { EntityManager } from "typeorm";
import { after, mark, type Move, settleDown } from "../domain/invoice/decide";
import type { InvoiceFacts, RailFacts } from "../domain/invoice/facts";
import type { Mark } from "../domain/invoice/status";
import { InvoiceEvent } from "../entities/invoice-event";
import { InvoicePaymentMethod } from "../entities/invoice-payment-method";
import { Payment } from "../entities/payment";
import type { CommandContext } from "./context";
import { findRows } from "./find-rows";
import type { LockedInvoice } from "./lock-invoices";
import { type LightningState, readLightningStates } from "./plan-bolt11s";
import { factsOf, railFactsOf, readChainCaughtUp } from "./read-facts";

export interface HandMark {
  to: Mark;
  note: string | null;
}

const OF_PAYMENTS = [
  "invoiceId",
  "storeId",
  "type",
  "amountSats",
  "state",
  "belowDust",
  "firstSeenAt",
  "confirmedAt",
  "blockHeight",
  "conflictHeight",
] as const;
const OF_EVENTS = ["invoiceId", "type", "additionalStatus", "round", "byHand"] as const;
const OF_METHODS = ["invoiceId", "type", "destination", "available", "reason"] as const;

/** An invoice as it was, and what was decided of it. */
export interface Decided {
  invoice: LockedInvoice;
  methods: readonly InvoicePaymentMethod[];
  payments: readonly Pick<Payment, (typeof OF_PAYMENTS)[number]>[];
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
  invoices: readonly LockedInvoice[],
  now: Date,
  byHand: HandMark | null,
): Promise<Decided[]> {
  if (invoices.length === 0) return [];
  const ofThese = { rest: "WHERE invoice_id = ANY($1::text[])", values: [invoices.map(({ id }) => id)] };
  const payments = await findRows(manager, Payment, { ...ofThese, select: OF_PAYMENTS });
  const events = await findRows(manager, InvoiceEvent, {
    ...ofThese,
    rest: `${ofThese.rest} ORDER BY seq`,
    select: OF_EVENTS,
  });
  const methods = await findRows(manager, InvoicePaymentMethod, { ...ofThese, select: OF_METHODS });
  const paymentsOf = byInvoice(payments);
  const eventsOf = byInvoice(events);
  const methodsOf = byInvoice(methods);
  const lightningOf = await readLightningStates(manager, methods);
  const chainCaughtUpTo = await readChainCaughtUp(manager);
  return invoices.map((invoice) => {
    const paid = paymentsOf.get(invoice.id) ?? [];
    const own = methodsOf.get(invoice.id) ?? [];
    const lightning = lightningOf.get(invoice.id) ?? null;
    const rails = railFactsOf(ctx, invoice, { methods: own, lightning, chainCaughtUpTo, now });
    const before = factsOf(invoice, paid, eventsOf.get(invoice.id) ?? []);
    return {
      invoice,
      payments: paid,
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
