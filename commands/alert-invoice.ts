import type { EntityManager } from "typeorm";
import { isLate, paidSats } from "../domain/invoice/amounts";
import { expiryHeld } from "../domain/invoice/decide";
import type { InvoiceFacts, RailFacts } from "../domain/invoice/facts";
import { counts } from "../domain/invoice/sums";
import type { Invoice } from "../entities/invoice";
import type { CommandContext } from "./context";
import { type AlertText, raiseAlert, resolveAlerts } from "./raise-alert";

/** The rails are looked at every 5 s: an expiry that waits no longer than that is nobody's trouble. */
const HELD_UNNOTICED_MS = 10_000;

interface Situation {
  /** The row as it was before the decision. */
  invoice: Invoice;
  facts: InvoiceFacts;
  rails: RailFacts;
  now: Date;
}

/** Tells the operator what a merchant's automation cannot settle: money that came late, in part, or to an invoice marked Invalid, and an expiry that waits. */
export async function alertInvoice(
  manager: EntityManager,
  ctx: CommandContext,
  situation: Situation,
): Promise<void> {
  for (const alert of alertsOf(situation)) await raiseAlert(manager, ctx, alert);
  if (heldLong(ctx, situation)) await raiseAlert(manager, ctx, heldAlert(situation));
}

/** Ends what was told of expiries that wait no more. */
export async function endHeldAlerts(
  manager: EntityManager,
  ctx: CommandContext,
  situations: readonly Situation[],
): Promise<void> {
  const freed = situations.filter(({ invoice, facts, now, rails }) => {
    const { status, decideAt, expiresAt } = invoice;
    const wasHeld = status === "New" && decideAt !== null && decideAt > expiresAt;
    return wasHeld && !expiryHeld(facts, now, rails);
  });
  await resolveAlerts(
    manager,
    ctx,
    "expiry-held",
    freed.map(({ invoice }) => invoice.id),
  );
}

function heldLong({ startedAt }: CommandContext, { facts, rails, now }: Situation): boolean {
  const waitsSince = Math.max(facts.expiresAt.getTime(), startedAt.getTime());
  return now.getTime() - waitsSince >= HELD_UNNOTICED_MS && expiryHeld(facts, now, rails);
}

function heldAlert({ invoice }: Situation): AlertText {
  return {
    subject: invoice.id,
    storeId: invoice.storeId,
    invoiceId: invoice.id,
    kind: "expiry-held",
    severity: "warning",
    message: "The invoice's time is up, but its expiry waits for a node that is away or behind.",
  };
}

function alertsOf({ invoice, facts }: Situation): AlertText[] {
  const paid = paidSats(facts);
  const about = { subject: invoice.id, storeId: invoice.storeId, invoiceId: invoice.id };
  // Of every new sum: an alert that nobody has read yet must not hide the next payment.
  const aboutMoney = { ...about, subject: `${invoice.id} ${paid} sats` };
  const alerts: AlertText[] = [];
  const grew = paid > invoice.paidSats;
  const late = facts.payments.some((payment) => counts(payment) && isLate(payment, invoice));
  if (grew && facts.markedByHand === "Invalid")
    alerts.push({
      ...aboutMoney,
      kind: "payment-to-invalid-invoice",
      severity: "critical",
      message: "A payment reached an invoice that was marked Invalid by hand.",
    });
  else if (grew && late)
    alerts.push({
      ...aboutMoney,
      kind: "late-payment",
      severity: "warning",
      message: "A payment reached the invoice after its expiry: review it by hand.",
    });
  if (facts.status === "Expired" && facts.additionalStatus === "Underpaid" && grew)
    alerts.push({
      ...aboutMoney,
      kind: "part-payment",
      severity: "warning",
      message: "Only a part of the price was paid: ask the customer for the rest, or refund it.",
    });
  return alerts;
}
