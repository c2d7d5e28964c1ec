import { isDoubleSpent } from "../../domain/chain/refused-payment";
import type { InvoiceFacts, LatestEvent, PaymentFact, SyncFacts } from "../../domain/invoice/facts";
import { gapSince, notAhead } from "../../domain/invoice/expiry-hold";
import type { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import type { Payment } from "../../entities/payment";
import { type ChainStanding, holdUntil } from "../chain/chain-standing";
import type { CommandContext } from "../context";
import type { LockedInvoice } from "./lock-invoices";
import type { LightningState } from "../lightning/plan-bolt11s";

/** The caller has locked the invoice. */
export function factsOf(
  invoice: LockedInvoice,
  payments: readonly Payment[],
  emitted: readonly LatestEvent[],
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

function paymentFact(payment: Payment): PaymentFact {
  const { type, amountSats, state, firstSeenAt, blockHeight, leftBlockAt, neverCounts } = payment;
  return {
    type,
    amountSats,
    state,
    firstSeenAt,
    inBlock: blockHeight !== null,
    leftBlockAt,
    contested: payment.conflictTxid !== null && blockHeight === null,
    neverCounts,
    doubleSpent: isDoubleSpent(payment),
  };
}

export function syncFactsOf(
  ctx: Pick<CommandContext, "settings">,
  invoice: Pick<LockedInvoice, "id" | "createdAt" | "expiresAt">,
  seen: {
    methods: readonly InvoicePaymentMethod[];
    lightning: LightningState | null;
    chain: ChainStanding;
    now: Date;
  },
): SyncFacts {
  const { methods, lightning, chain, now } = seen;
  const onchain = methods.some(({ type, destination }) => type === "BTC-CHAIN" && destination !== null);
  // Final in LND, or never shown: it can no longer be paid.
  const mayBePaid = lightning?.unfinished.some(({ bolt11 }) => bolt11 !== null) ?? false;
  return {
    readUntil: mayBePaid ? null : onchain ? notAhead(chain.caughtUpTo, now) : now,
    gapSince: onchain ? gapSince(invoice, chain) : null,
    lossAt: onchain ? chain.lossAt : null,
    holdExpiryUntil: holdUntil(ctx, invoice.expiresAt, chain),
  };
}
