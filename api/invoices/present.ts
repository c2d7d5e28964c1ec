import type { ShownMethod } from "../../commands/wallets/read-destinations";
import type { InvoiceView } from "../../commands/invoices/read-invoice";
import { askedOnchainSats } from "../../domain/chain/dust";
import { confirmationsAt } from "../../domain/chain/onchain-payment";
import { isLate, remainingSats } from "../../domain/invoice/sums";
import { uriOfMethods } from "../../domain/invoice/payment-uri";
import type { Invoice } from "../../entities/invoice";
import type { Payment } from "../../entities/payment";
import { RawJson } from "../http/json";
import { presenter } from "../http/presenter";
import { invoiceAnswer, paymentMethod } from "./answer";

const shown = presenter(invoiceAnswer);
const shownMethod = presenter(paymentMethod);

/** Amounts in sats are integers, times RFC 3339. */
export function presentInvoice(
  { invoice, methods, payments, paymentsOmitted, tipHeight }: InvoiceView,
  publicUrl: string,
) {
  const remaining = remainingSats(invoice);
  return shown(invoice, {
    invoiceId: invoice.id,
    rate: invoice.rate && { ...invoice.rate, spread: Number(invoice.rate.spread) },
    remainingSats: remaining,
    metadata: new RawJson(invoice.metadata),
    checkoutUrl: `${publicUrl}/i/${invoice.id}`,
    paymentTolerance: Number(invoice.paymentTolerance),
    archived: invoice.archivedAt !== null,
    paymentMethods: methods.map((method) => presentMethod(method, remaining)),
    payments: payments.map((payment) => presentPayment(payment, invoice, tipHeight)),
    paymentsOmitted,
    paymentUri: uriOfMethods(methods, remaining),
  });
}

function presentMethod(method: ShownMethod, remaining: bigint) {
  return shownMethod(method, {
    paymentUri: uriOfMethods([method], remaining),
    amountSats:
      method.type === "BTC-CHAIN" && method.destination !== null
        ? askedOnchainSats(method.destination, remaining)
        : remaining,
    reason: method.reason ?? undefined,
  });
}

function presentPayment(payment: Payment, invoice: Invoice, tipHeight: number | null) {
  const common = {
    id: payment.id,
    type: payment.type,
    amountSats: payment.amountSats,
    state: payment.state,
    firstSeenAt: payment.firstSeenAt,
    confirmedAt: payment.confirmedAt,
    late: isLate(payment, invoice),
  };
  if (payment.type === "BTC-LN")
    return {
      ...common,
      paymentHash: payment.id,
      ...(payment.preimage === null ? {} : { preimage: payment.preimage }),
    };
  return {
    ...common,
    txid: payment.txid,
    vout: payment.vout,
    confirmations: confirmationsAt(payment.blockHeight, tipHeight ?? 0),
    blockHeight: payment.blockHeight,
    ...(payment.state === "replaced" && payment.conflictTxid !== null
      ? { replacedByTxid: payment.conflictTxid }
      : {}),
  };
}
