import type { ShownMethod } from "../../commands/wallets/read-destinations";
import type { CheckoutFacts } from "../../commands/invoices/read-checkout";
import { confirmationsAt } from "../../domain/chain/confirmations";
import { excessSats, remainingSats } from "../../domain/invoice/sums";
import { mayLeaveRefundAddress } from "../../domain/invoice/may-leave-refund-address";
import { fillRedirectUrl } from "../../domain/invoice/redirect-url";
import type { PaymentMethodType } from "../../domain/invoice/status";
import { isFiat } from "../../domain/money/currencies";
import { fullAmount, satsToFiat } from "../../domain/money/money";
import type { Invoice } from "../../entities/invoice";
import type { Payment } from "../../entities/payment";
import { isOpen, phaseOf, type Phase } from "../../domain/invoice/phase";
import { countsByRow, lacksVanished } from "../../domain/invoice/vanished";
import { waysToPay, type Way } from "./page/ways";

/** Sent to every open page at each change. */
const RECEIPTS_SHOWN = 20;

/** `fiat`: in the view's `currency`; null if the price is in bitcoin. */
export interface Amount {
  sats: bigint;
  fiat: string | null;
}

/** Without the preimage, which proves who paid: everybody with the link sees the page. */
export interface Receipt {
  type: PaymentMethodType;
  amount: Amount;
  firstSeenAt: Date;
  confirmedAt: Date | null;
  /** A txid or payment hash. */
  reference: string;
}

/** The page can show nothing else. */
export interface CheckoutView {
  invoiceId: string;
  phase: Phase;
  store: {
    name: string;
    logoUrl: string | null;
    brandColor: string | null;
    website: string | null;
    supportUrl: string | null;
    sellerDetails: string | null;
    framedBy: readonly string[];
  };
  orderId: string | null;
  description: string | null;
  due: Amount;
  paid: Amount;
  remaining: Amount;
  excess: Amount;
  vanished: boolean;
  /** Null if the price is in bitcoin. */
  currency: string | null;
  /** A bitcoin's price in `currency`. */
  rate: string | null;
  ways: Way[];
  missing: PaymentMethodType[];
  /** An address is allocated when the customer asks for it. */
  mayChooseOnchain: boolean;
  /** For the payment that needs the most; null if none is pending. */
  confirmations: { have: number; need: number } | null;
  /** The largest, if many. */
  receipts: Receipt[];
  receiptsOmitted: number;
  createdAt: Date;
  expiresAt: Date;
  refund: { asked: boolean; left: string | null };
  /** With the ids filled in. */
  returnUrl: string | null;
  /** That is the payment link, where the next customer pays. */
  returnsToLink: boolean;
  redirectAutomatically: boolean;
}

export function checkoutView({ view, store, now }: CheckoutFacts): CheckoutView {
  const { invoice, methods, payments, tipHeight } = view;
  const phase = phaseOf(invoice, now);
  const remaining = remainingSats(invoice);
  const amount = amountsOf(invoice);
  const counted = payments.filter(countsByRow);
  const shown = largest(counted);
  const { id: invoiceId, orderId, redirectUrl } = invoice;
  return {
    invoiceId,
    phase,
    store: {
      name: store.name,
      logoUrl: store.logoUrl,
      brandColor: store.brandColor,
      website: store.website,
      supportUrl: store.supportUrl,
      sellerDetails: store.sellerDetails,
      framedBy: store.checkoutOrigins,
    },
    orderId: orderId === invoiceId ? null : orderId,
    description: invoice.description,
    due: { sats: invoice.dueSats, fiat: amount.priceFiat },
    paid: amount.of(invoice.paidSats),
    remaining: amount.of(remaining),
    excess: amount.of(excessSats(invoice)),
    vanished: lacksVanished(invoice, phase, payments),
    currency: amount.currency,
    rate: amount.rate,
    ways: isOpen(phase) ? waysToPay(methods, remaining) : [],
    missing: isOpen(phase) ? methods.filter(isMissing).map(({ type }) => type) : [],
    mayChooseOnchain: isOpen(phase) && methods.some(isChoice),
    confirmations: confirmationsOf(counted, tipHeight ?? 0),
    receipts: shown.map((payment) => receiptOf(payment, amount.of)),
    // Payments that count are read first.
    receiptsOmitted:
      counted.length - shown.length + (counted.length === payments.length ? view.paymentsOmitted : 0),
    createdAt: invoice.createdAt,
    expiresAt: invoice.expiresAt,
    refund: refundOf(invoice),
    returnUrl: redirectUrl === null ? null : fillRedirectUrl(redirectUrl, { invoiceId, orderId }),
    returnsToLink:
      invoice.paymentLinkId !== null && (redirectUrl?.endsWith(`/p/${invoice.paymentLinkId}`) ?? false),
    redirectAutomatically: invoice.redirectAutomatically,
  };
}

function largest(payments: readonly Payment[]): readonly Payment[] {
  if (payments.length <= RECEIPTS_SHOWN) return payments;
  const bySize = [...payments].sort((a, b) => Number(b.amountSats - a.amountSats));
  const chosen = new Set(bySize.slice(0, RECEIPTS_SHOWN));
  return payments.filter((payment) => chosen.has(payment));
}

/** The page is public: only its ends are shown, by which whoever left it recognises it. */
function refundOf(invoice: Invoice): CheckoutView["refund"] {
  const { refundAddress: left } = invoice;
  return {
    asked: left === null && mayLeaveRefundAddress(invoice),
    left: left && `${left.slice(0, 6)}…${left.slice(-4)}`,
  };
}

const isChoice = ({ reason }: ShownMethod): boolean => reason === "not-chosen";
const isMissing = (method: ShownMethod): boolean =>
  !(method.available && method.destination !== null) && !isChoice(method);

function amountsOf({ rate, currency, amount }: Invoice) {
  if (rate === null || !isFiat(currency))
    return {
      currency: null,
      rate: null,
      priceFiat: null,
      of: (sats: bigint): Amount => ({ sats, fiat: null }),
    };
  return {
    currency,
    rate: rate.value,
    priceFiat: fullAmount(amount, currency),
    of: (sats: bigint): Amount => ({ sats, fiat: satsToFiat(sats, rate.value, currency) }),
  };
}

function confirmationsOf(payments: readonly Payment[], tipHeight: number): CheckoutView["confirmations"] {
  const pending = payments
    .filter(({ type, state }) => type === "BTC-CHAIN" && state === "pending")
    .map(({ blockHeight, requiredConfirmations: need }) => ({
      have: Math.min(confirmationsAt(blockHeight, tipHeight), need),
      need,
    }));
  return pending.sort((a, b) => b.need - b.have - (a.need - a.have))[0] ?? null;
}

function receiptOf(payment: Payment, amountOf: (sats: bigint) => Amount): Receipt {
  const { type, amountSats, firstSeenAt, confirmedAt, txid, id, state } = payment;
  return {
    type,
    amount: amountOf(amountSats),
    firstSeenAt,
    confirmedAt: state === "confirmed" ? confirmedAt : null,
    reference: txid ?? id,
  };
}
