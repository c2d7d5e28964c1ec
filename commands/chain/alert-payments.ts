import type { PaymentChange } from "../../domain/chain/apply-transaction";
import {
  type OnchainPayment,
  isRecordedAsOlder,
  describePayments,
  isLive,
  type PaidInvoice,
} from "../../domain/chain/onchain-payment";
import { GIVEN_UP_AFTER_BLOCKS } from "../../domain/chain/refused-payment";
import type { InvoiceStatus } from "../../domain/invoice/status";
import { groupBy } from "../../domain/group-by";
import { raiseAlert, resolveAlerts } from "../server/raise-alert";
import type { Tx } from "../transaction";

type StorePaidInvoice = PaidInvoice & { storeId: string; status: InvoiceStatus };

/** At most one alert for each invoice, since a rescan may find many such payments. */
export async function alertPaidBefore(
  tx: Tx,
  changes: readonly PaymentChange[],
  invoices: ReadonlyMap<string, StorePaidInvoice>,
): Promise<void> {
  const seen = changes.filter(({ kind }) => kind === "seen").map(({ payment }) => payment);
  for (const [invoiceId, payments] of groupBy(seen, (payment) => payment.invoiceId)) {
    const invoice = invoices.get(invoiceId);
    const older = invoice === undefined ? [] : payments.filter((each) => isRecordedAsOlder(each, invoice));
    if (invoice === undefined || older.length === 0) continue;
    await raiseAlert(tx, {
      kind: "payment-before-invoice",
      severity: "warning",
      subject: invoiceId,
      storeId: invoice.storeId,
      invoiceId,
      message: `${describePayments(older)} is older than the invoice and is not counted: the address was given to somebody else before, for example by the wallet that it belongs to. If a customer paid with it, mark the invoice by hand; a clock is wrong then, the database's (doctor checks it) or the node's.`,
    });
  }
}

/** An alert for each invoice, however many outputs of one transaction it loses. */
export async function alertDoubleSpends(
  tx: Tx,
  changes: readonly PaymentChange[],
  invoices: ReadonlyMap<string, StorePaidInvoice>,
): Promise<void> {
  const doubleSpent = changes.filter(({ doubleSpend }) => doubleSpend).map(({ payment }) => payment);
  for (const payments of groupBy(doubleSpent, ({ invoiceId, txid }) => `${invoiceId} ${txid}`).values()) {
    const [payment] = payments;
    const invoice = payment && invoices.get(payment.invoiceId);
    if (!payment || !invoice) continue;
    const where = payment.conflictHeights.length > 0 ? "in a block" : "in the mempool";
    await alertDoubleSpend(tx, { where, payments, invoice });
  }
}

const DOUBLE_SPEND = {
  "in a block":
    "is void: a transaction that spends the same coins, or coins that it depends on, and pays less to the invoice or nothing, is in a block.",
  "in the mempool":
    "is contested: an unconfirmed transaction spends the same coins, or coins that it depends on, and pays less to the invoice or nothing.",
  evicted: "to a settled invoice is in no block, and the network no longer accepts it.",
  "given-up": `to a settled invoice is void: coins that it spends have been gone for ${GIVEN_UP_AFTER_BLOCKS} blocks.`,
};

export async function alertDoubleSpend(
  tx: Tx,
  {
    where,
    payments,
    invoice,
  }: {
    where: keyof typeof DOUBLE_SPEND;
    payments: readonly OnchainPayment[];
    invoice: StorePaidInvoice;
  },
): Promise<void> {
  const lost = invoice.status === "Settled" && where !== "in the mempool";
  await raiseAlert(tx, {
    kind: "double-spend",
    severity: lost ? "critical" : "warning",
    subject: `${payments[0]?.id ?? ""} ${where}`,
    storeId: invoice.storeId,
    invoiceId: invoice.id,
    message: `${describePayments(payments)} ${DOUBLE_SPEND[where]}`,
  });
}

/** The node takes a payment again, it is lost, or it is in a block. */
export async function endPaymentAlerts(
  tx: Tx,
  lines: readonly { before: OnchainPayment | null; payment: OnchainPayment }[],
): Promise<void> {
  const of = (ended: (before: OnchainPayment, payment: OnchainPayment) => boolean): string[] =>
    lines.flatMap(({ before, payment }) => (before && ended(before, payment) ? [payment.id] : []));
  const accepted = of((before, payment) => isRefused(before) && !isRefused(payment));
  const backInBlock = of(
    (before, payment) =>
      before.leftBlockAt !== null && before.blockHash === null && payment.blockHash !== null,
  );
  await resolveAlerts(tx, "payment-refused", accepted);
  await resolveAlerts(tx, "reorganisation", backInBlock);
}

function isRefused(payment: OnchainPayment): boolean {
  return isLive(payment) && payment.missingSince !== null;
}
