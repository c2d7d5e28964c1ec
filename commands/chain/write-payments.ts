import type { EntityManager } from "typeorm";
import { type OnchainPayment, type PaidInvoice, isRecordedAsOlder } from "../../domain/chain/onchain-payment";
import { isLoss } from "../../domain/invoice/vanished";
import type { Invoice } from "../../entities/invoice";
import { InvoiceHistory, type PaymentHistoryDetails } from "../../entities/invoice-history";
import { Payment } from "../../entities/payment";
import { insertRows, slices, upsertRows } from "../../database/insert-rows";
import { ItemFailure } from "../../database/item-failure";
import { pipelined } from "../../database/pipelined";
import { notifyChanges } from "../server/notify-changes";
import { noteLoss } from "../server/write-sync";
import { endPaymentAlerts } from "./alert-payments";
import { OF_PAYMENTS, lockPaid } from "./payment-queries";
import type { Tx } from "../transaction";
import type { InvoiceStatus } from "../../domain/invoice/status";

export interface LockedPaidInvoice extends PaidInvoice {
  storeId: string;
  status: InvoiceStatus;
  monitoringUntil: Date;
}

/** By id. Whether an arrival is unknown is left to the caller: see record-transactions. */
export async function lockPaidInvoices(
  manager: EntityManager,
  ids: readonly string[],
): Promise<Map<string, LockedPaidInvoice>> {
  const { rows } = await lockPaid(manager, [...new Set(ids)]);
  return new Map(
    rows.map(({ zeroConfMaxSats: cap, ...row }) => [
      row.id,
      { ...row, zeroConfMaxSats: cap === null ? null : BigInt(cap), arrivalUnknown: "nowhere" },
    ]),
  );
}

export interface PaymentLine {
  /** The change in one word, for the history. */
  kind: string;
  before: OnchainPayment | null;
  payment: OnchainPayment;
}

type PaidRow = Pick<Invoice, "storeId" | "createdAt">;

const ROWS_A_STATEMENT = 1_000;

/** The invoices of these payments. */
export const invoicesOf = (lines: readonly PaymentLine[]): string[] => [
  ...new Set(lines.map(({ payment }) => payment.invoiceId)),
];

/**
 * Writes rows of payments and their entries in the history, and ends their alerts. The caller holds the locks of
 * `invoices`, which are those of the payments. The caller's transaction decides the invoices that this returns
 * (decide-invoices).
 */
export async function writePayments(
  tx: Tx,
  lines: readonly PaymentLine[],
  invoices: ReadonlyMap<string, PaidRow>,
  now: Date,
): Promise<string[]> {
  const invoiceOf = ({ invoiceId }: OnchainPayment): PaidRow => {
    const invoice = invoices.get(invoiceId);
    // An error of this payment only: others must not wait until the database is fixed.
    if (invoice === undefined) throw new ItemFailure(`invoice ${invoiceId} of a payment is gone`);
    return invoice;
  };
  const storeOf = (payment: OnchainPayment): string => invoiceOf(payment).storeId;
  const rows = [...new Map(lines.map(({ payment }) => [payment.id, payment])).values()];
  const historyLines = lines.filter(isInHistory);
  await pipelined(
    upsertPayments(
      tx.manager,
      rows.map((payment) => ({ ...rowOf(payment), storeId: storeOf(payment) })),
    ),
    writeHistory(
      tx.manager,
      historyLines.map((line) => detailsOf(line, invoiceOf(line.payment))),
      now,
    ),
  );
  if (lines.some(({ before, payment }) => isLoss(before, payment))) await noteLoss(tx);
  await endPaymentAlerts(tx, lines);
  tx.after(
    notifyChanges,
    [...new Map(historyLines.map(({ payment }) => [payment.invoiceId, storeOf(payment)]))].map(
      ([invoiceId, storeId]) => ({ topic: "invoices", storeId, invoiceId }),
    ),
  );
  return invoicesOf(lines);
}

async function upsertPayments(manager: EntityManager, rows: readonly object[]): Promise<void> {
  await pipelined(
    ...slices(rows, ROWS_A_STATEMENT).map((some) =>
      upsertRows(manager, { into: Payment, rows: some, key: "id" }),
    ),
  );
}

interface HistoryLine {
  invoiceId: string;
  details: PaymentHistoryDetails;
}

async function writeHistory(manager: EntityManager, lines: readonly HistoryLine[], at: Date): Promise<void> {
  await pipelined(
    ...slices(lines, ROWS_A_STATEMENT).map((some) =>
      insertRows(manager, {
        into: InvoiceHistory,
        rows: some.map((line) => ({ ...line, at, kind: "payment" as const })),
      }),
    ),
  );
}

function rowOf(payment: OnchainPayment): object {
  return { type: "BTC-CHAIN", ...Object.fromEntries(OF_PAYMENTS.map((name) => [name, payment[name]])) };
}

/** Changes of neither state nor block do not matter to readers of the history. */
function isInHistory({ kind, before, payment }: PaymentLine): boolean {
  return kind === "contested" || before?.state !== payment.state || before.blockHash !== payment.blockHash;
}

function detailsOf({ kind, payment }: PaymentLine, invoice: PaidRow): HistoryLine {
  const { id, invoiceId, amountSats, state, neverCounts, blockHeight, conflictTxid } = payment;
  const beforeInvoice = isRecordedAsOlder(payment, invoice);
  const details = {
    change: kind,
    paymentId: id,
    type: "BTC-CHAIN",
    amountSats: amountSats.toString(),
    state,
    belowDust: neverCounts && !beforeInvoice,
    ...(beforeInvoice ? { beforeInvoice } : {}),
    ...(blockHeight === null ? {} : { blockHeight }),
    ...(conflictTxid === null ? {} : { conflictTxid }),
  };
  return { invoiceId, details };
}
