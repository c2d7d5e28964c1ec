import type { EntityManager } from "typeorm";
import type { EmittedEvent, InvoiceFacts, PaymentFact, RailFacts } from "../domain/invoice/facts";
import type { InvoicePaymentMethod } from "../entities/invoice-payment-method";
import type { Payment } from "../entities/payment";
import { Rail } from "../entities/rail";
import type { CommandContext } from "./context";
import type { LockedInvoice } from "./lock-invoices";
import type { LightningState } from "./plan-bolt11s";

/** What counts of a payment's row. */
type PaymentRow = Pick<
  Payment,
  | "type"
  | "amountSats"
  | "state"
  | "firstSeenAt"
  | "blockHeight"
  | "belowDust"
  | "conflictHeight"
  | "confirmedAt"
>;

/** What the state function may look at, of the rows of one invoice (which the caller has locked). `emitted` in its order. */
export function factsOf(
  invoice: LockedInvoice,
  payments: readonly PaymentRow[],
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

export function paymentFact(payment: PaymentRow): PaymentFact {
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

/** When chain-watch last began a look at the chain that it finished; null before the first. */
export async function readChainCaughtUp(manager: EntityManager): Promise<Date | null> {
  return (await manager.findOneBy(Rail, { type: "BTC-CHAIN" }))?.caughtUpTo ?? null;
}

/** How far the rails have been looked at that this invoice can be paid by. */
export function railFactsOf(
  ctx: CommandContext,
  invoice: LockedInvoice,
  seen: {
    methods: readonly InvoicePaymentMethod[];
    lightning: LightningState | null;
    chainCaughtUpTo: Date | null;
    now: Date;
  },
): RailFacts {
  const { methods, lightning, chainCaughtUpTo, now } = seen;
  const instants =
    lightning?.unfinished.filter(({ bolt11 }) => bolt11 !== null).map((row) => row.lookedUpAt) ?? [];
  if (methods.some(({ type, destination }) => type === "BTC-CHAIN" && destination !== null))
    instants.push(chainCaughtUpTo);
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
