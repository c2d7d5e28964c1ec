import type { InvoiceView, InvoiceViewWithBolt11s } from "../../commands/invoices/read-invoice";
import type { ShownMethod } from "../../commands/wallets/read-destinations";
import { greenfieldPaymentStatus, paidByMethod } from "../../domain/greenfield/payment";
import { withoutUnderscore } from "../../domain/greenfield/id-text";
import { speedPolicyOf } from "../../domain/greenfield/speed-policy";
import { availableMarks, greenfieldState } from "../../domain/greenfield/status";
import { remainingSats } from "../../domain/invoice/sums";
import { uriOfMethods } from "../../domain/invoice/payment-uri";
import { fullAmount, fullBtc, SATS_PER_BTC, satsToFiat } from "../../domain/money/money";
import type { Invoice } from "../../entities/invoice";
import type { Payment } from "../../entities/payment";
import { RawJson } from "../http/json";

const NONE = fullBtc(0n);

const unixSeconds = (at: Date): number => Math.floor(at.getTime() / 1_000);
const minutes = (from: Date, to: Date): number => Math.ceil((to.getTime() - from.getTime()) / 60_000);

/** Money is text with all of the currency's decimals. */
export function presentInvoice({ invoice, methods }: InvoiceView, publicUrl: string) {
  const { createdAt, expiresAt, monitoringUntil } = invoice;
  const id = withoutUnderscore(invoice.id);
  return {
    id,
    storeId: invoice.storeId,
    type: "Standard",
    ...greenfieldState(invoice),
    amount: fullAmount(invoice.amount, invoice.currency),
    paidAmount: paidAmount(invoice),
    currency: invoice.currency,
    checkoutLink: `${publicUrl}/i/${id}`,
    createdTime: unixSeconds(createdAt),
    expirationTime: unixSeconds(expiresAt),
    monitoringExpiration: unixSeconds(monitoringUntil),
    archived: invoice.archivedAt !== null,
    availableStatusesForManualMarking: availableMarks(invoice),
    metadata: new RawJson(invoice.metadata),
    checkout: {
      speedPolicy: speedPolicyOf(invoice.requiredConfirmations),
      // WooCommerce marks an invoice invalid that has others than it asked for.
      paymentMethods: invoice.requestedMethods ?? methods.map(({ type }) => type),
      defaultPaymentMethod: null,
      expirationMinutes: minutes(createdAt, expiresAt),
      monitoringMinutes: minutes(expiresAt, monitoringUntil),
      paymentTolerance: Number(invoice.paymentTolerance),
      redirectURL: invoice.redirectUrl,
      redirectAutomatically: invoice.redirectAutomatically,
      defaultLanguage: invoice.language,
      lazyPaymentMethods: false,
    },
    receipt: { enabled: false, showQR: null, showPayments: null },
  };
}

function paidAmount({ paidSats, currency, rate }: Invoice): string {
  if (rate !== null) return satsToFiat(paidSats, rate.value, currency);
  return currency === "BTC" ? fullBtc(paidSats) : fullAmount(paidSats.toString(), currency);
}

/** `totalPaid`, `due` and `amount` are the whole invoice's: Magento reads the last method's. */
export function presentPaymentMethods(view: InvoiceViewWithBolt11s) {
  const { invoice, methods } = view;
  const remaining = remainingSats(invoice);
  return methods.map((method) => {
    const payments = paymentsBy(view, method);
    // A paid BOLT11 is hidden from customers; here it says where the payment went.
    const destination = method.destination ?? payments.at(-1)?.destination ?? "";
    return {
      paymentMethodId: method.type,
      currency: "BTC",
      activated: destination !== "",
      destination,
      paymentLink: uriOfMethods([method], remaining) ?? "",
      rate: bitcoinPrice(invoice),
      paymentMethodPaid: fullBtc(paidByMethod(method.type, invoice.paidSats, view.payments)),
      totalPaid: fullBtc(invoice.paidSats),
      due: fullBtc(remaining),
      amount: fullBtc(invoice.dueSats),
      paymentMethodFee: NONE,
      payments,
      additionalData: {},
    };
  });
}

function paymentsBy({ payments, paidBolt11s }: InvoiceViewWithBolt11s, { type, destination }: ShownMethod) {
  return payments
    .filter((payment) => payment.type === type)
    .map((payment) =>
      presentPayment(payment, (type === "BTC-CHAIN" ? destination : paidBolt11s.get(payment.id)) ?? ""),
    );
}

function bitcoinPrice({ rate, currency }: Invoice): string {
  if (rate !== null) return rate.value;
  return currency === "BTC" ? "1" : SATS_PER_BTC.toString();
}

function presentPayment(payment: Payment, destination: string) {
  const { id, txid, vout, firstSeenAt, amountSats } = payment;
  return {
    // Plugins take the text before the hyphen for the txid.
    id: txid === null || vout === null ? id : `${txid}-${vout}`,
    receivedDate: unixSeconds(firstSeenAt),
    value: fullBtc(amountSats),
    fee: NONE,
    status: greenfieldPaymentStatus(payment),
    destination,
  };
}
