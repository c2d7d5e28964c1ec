import { In, type EntityManager } from "typeorm";
import type { EmittedEvent, InvoiceFacts, PaymentFact, RailFacts } from "../domain/invoice/facts";
import type { Invoice } from "../entities/invoice";
import { InvoiceEvent } from "../entities/invoice-event";
import { InvoicePaymentMethod } from "../entities/invoice-payment-method";
import { Payment } from "../entities/payment";
import { Rail } from "../entities/rail";
import type { CommandContext } from "./context";

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
): Promise<RailFacts> {
  const methods = await manager.findBy(InvoicePaymentMethod, { invoiceId: invoice.id });
  const offered = methods.filter((method) => method.destination !== null).map((method) => method.type);
  const rails = await manager.findBy(Rail, { type: In(offered) });
  const instants = offered.map((type) => rails.find((rail) => rail.type === type)?.caughtUpTo ?? null);
  const waitFrom = Math.max(invoice.expiresAt.getTime(), ctx.startedAt.getTime());
  return {
    caughtUpTo: instants.reduce(
      (least, instant) => (least && instant && instant < least ? instant : instant && least),
      instants[0] ?? null,
    ),
    holdExpiryUntil: new Date(waitFrom + ctx.settings.expiryHoldMinutes * 60_000),
  };
}
