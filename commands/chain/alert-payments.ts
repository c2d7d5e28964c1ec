import type { EntityManager } from "typeorm";
import type { PaymentChange } from "../../domain/chain/apply-transaction";
import { describePayments } from "../../domain/chain/describe-payments";
import { groupBy } from "../../domain/group-by";
import type { CommandContext } from "../context";
import { raiseAlert } from "../server/raise-alert";
import type { LockedPaidInvoice } from "../invoices/lock-invoices";

/** At most one alert for each invoice, since a rescan may find many such payments. */
export async function alertPaidBefore(
  manager: EntityManager,
  ctx: CommandContext,
  txid: string,
  invoice: LockedPaidInvoice | undefined,
): Promise<void> {
  if (!invoice) return;
  await raiseAlert(manager, ctx, {
    kind: "payment-before-invoice",
    severity: "warning",
    subject: invoice.id,
    storeId: invoice.storeId,
    invoiceId: invoice.id,
    message: `Transaction ${txid} paid the invoice's address in a block that is hours older than the invoice. It is not counted, because the address was used before. If a customer paid with it, the database's clock is ahead (doctor checks it).`,
  });
}

/** One alert for each invoice, however many outputs of one transaction it loses. */
export async function alertDoubleSpends(
  manager: EntityManager,
  ctx: CommandContext,
  changes: readonly PaymentChange[],
  invoices: ReadonlyMap<string, LockedPaidInvoice>,
): Promise<void> {
  const doubleSpent = changes.filter(({ doubleSpend }) => doubleSpend).map(({ payment }) => payment);
  for (const payments of groupBy(doubleSpent, ({ invoiceId, txid }) => `${invoiceId} ${txid}`).values()) {
    const [payment] = payments;
    const invoice = payment && invoices.get(payment.invoiceId);
    if (!payment || !invoice) continue;
    const inBlock = payment.conflictHeights.length > 0;
    await raiseAlert(manager, ctx, {
      kind: "double-spend",
      severity: inBlock && invoice.status === "Settled" ? "critical" : "warning",
      subject: `${payment.id} ${inBlock ? "in a block" : "in the mempool"}`,
      storeId: invoice.storeId,
      invoiceId: invoice.id,
      message: inBlock
        ? `${describePayments(payments)} is void: a transaction that spends the same coins, or coins that it depends on, and pays less to the invoice or nothing, is in a block.`
        : `${describePayments(payments)} is contested: an unconfirmed transaction spends the same coins, or coins that it depends on, and pays less to the invoice or nothing.`,
    });
  }
}
