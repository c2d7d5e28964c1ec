import type { EntityManager } from "typeorm";
import type { EmittedEvent, InvoiceFacts, PaymentFact, RailFacts } from "../domain/invoice/facts";
import type { Invoice } from "../entities/invoice";
import { InvoiceEvent } from "../entities/invoice-event";
import type { InvoicePaymentMethod } from "../entities/invoice-payment-method";
import { Payment } from "../entities/payment";
import { Rail } from "../entities/rail";
import type { CommandContext } from "./context";
import type { LightningState } from "./plan-bolt11s";

/** What the state function may look at, read from the rows of one invoice (which the caller has locked). */
export async function readFacts(manager: EntityManager, invoice: Invoice): Promise<InvoiceFacts> {
  const payments = await manager.findBy(Payment, { invoiceId: invoice.id });
  const events = await manager.find(InvoiceEvent, {
    select: { type: true, additionalStatus: true, round: true, byHand: true },
    where: { invoiceId: invoice.id },
    order: { seq: "ASC" },
  });
  return factsOf(invoice, payments, events);
}

export function factsOf(
  invoice: Invoice,
  payments: readonly Payment[],
  emitted: readonly EmittedEvent[],
): InvoiceFacts {
  const { status, additionalStatus, markedByHand, dueSats, minDueSats, expiresAt, monitoringUntil } = invoice;
  return {
    status,
    additionalStatus,
    markedByHand,
    dueSats,
    minDueSats,
    expiresAt,
    monitoringUntil,
    payments: payments.map(paymentFact),
    emitted,
  };
}

export function paymentFact(payment: Payment): PaymentFact {
  const { type, amountSats, state, firstSeenAt, blockHeight, belowDust, conflictHeight, confirmedAt } =
    payment;
  return {
    rail: type,
    amountSats,
    state,
    firstSeenAt,
    inBlock: blockHeight !== null,
    belowDust,
    doubleSpent: state === "replaced" && conflictHeight !== null && confirmedAt !== null,
  };
}

/** How far the rails have been looked at that this invoice can be paid by. */
export async function readRailFacts(
  manager: EntityManager,
  ctx: CommandContext,
  invoice: Invoice,
  {
    methods,
    lightning,
    now,
  }: { methods: readonly InvoicePaymentMethod[]; lightning: LightningState | null; now: Date },
): Promise<RailFacts> {
  const instants =
    lightning?.unfinished.filter(({ bolt11 }) => bolt11 !== null).map((row) => row.lookedUpAt) ?? [];
  if (methods.some(({ type, destination }) => type === "BTC-CHAIN" && destination !== null))
    instants.push((await manager.findOneBy(Rail, { type: "BTC-CHAIN" }))?.caughtUpTo ?? null);
  const waitFrom = Math.max(invoice.expiresAt.getTime(), ctx.startedAt.getTime());
  return {
    // Of a BOLT11 that LND has said the last word on, or that nobody was given, nothing can come any more.
    caughtUpTo: instants.reduce(earliest, now),
    holdExpiryUntil: new Date(waitFrom + ctx.settings.expiryHoldMinutes * 60_000),
  };
}

function earliest(a: Date | null, b: Date | null): Date | null {
  return a === null || b === null ? null : a < b ? a : b;
}
