import { In, type EntityManager } from "typeorm";
import type { OnchainPayment } from "../domain/chain/apply-transaction";
import { Invoice } from "../entities/invoice";
import { InvoiceHistory, type PaymentHistoryDetails } from "../entities/invoice-history";
import { Payment } from "../entities/payment";
import { tellChanges } from "./tell-change";

export interface PaymentLine {
  /** What happened to it, in one word for the time line. */
  kind: string;
  before: OnchainPayment | null;
  payment: OnchainPayment;
}

const ROWS_A_STATEMENT = 500;

/**
 * Writes payment rows and their lines in the time line, and has their invoices decided again. The caller holds the
 * invoices' locks. Answers the invoices' ids, to enqueue after the commit.
 */
export async function writePayments(
  manager: EntityManager,
  lines: readonly PaymentLine[],
  now: Date,
): Promise<string[]> {
  const rows = [...new Map(lines.map(({ payment }) => [payment.id, payment])).values()];
  for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT)
    await manager.upsert(
      Payment,
      rows.slice(from, from + ROWS_A_STATEMENT).map((row) => ({ ...row, type: "BTC-CHAIN" as const })),
      ["id"],
    );
  const told = lines.filter(isTold).map((line) => ({
    invoiceId: line.payment.invoiceId,
    at: now,
    kind: "payment" as const,
    details: detailsOf(line),
  }));
  if (told.length > 0) await manager.insert(InvoiceHistory, told);
  const invoiceIds = [...new Set(rows.map((row) => row.invoiceId))];
  if (invoiceIds.length > 0) await manager.update(Invoice, { id: In(invoiceIds) }, { decideAt: now });
  await tellInvoices(manager, [...new Set(told.map(({ invoiceId }) => invoiceId))]);
  return invoiceIds;
}

async function tellInvoices(manager: EntityManager, invoiceIds: readonly string[]): Promise<void> {
  if (invoiceIds.length === 0) return;
  const invoices = await manager.find(Invoice, {
    select: { id: true, storeId: true },
    where: { id: In(invoiceIds) },
  });
  await tellChanges(
    manager,
    invoices.map(({ id, storeId }) => ({ topic: "invoices", storeId, invoiceId: id })),
  );
}

/** What changes neither the state nor the block is of no interest to people. */
function isTold({ kind, before, payment }: PaymentLine): boolean {
  return kind === "contested" || before?.state !== payment.state || before.blockHash !== payment.blockHash;
}

function detailsOf({ kind, payment }: PaymentLine): PaymentHistoryDetails {
  const { id, amountSats, state, belowDust, blockHeight, conflictTxid } = payment;
  return {
    change: kind,
    paymentId: id,
    type: "BTC-CHAIN",
    amountSats: amountSats.toString(),
    state,
    belowDust,
    ...(blockHeight === null ? {} : { blockHeight }),
    ...(conflictTxid === null ? {} : { conflictTxid }),
  };
}
