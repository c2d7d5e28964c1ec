import type { ShownMethod } from "../../commands/wallets/read-destinations";
import type { CheckoutFacts } from "../../commands/invoices/read-checkout";
import { confirmationsAt } from "../../domain/chain/onchain-payment";
import { excessSats, remainingSats } from "../../domain/invoice/sums";
import { mayLeaveRefundAddress } from "../../domain/invoice/may-leave-refund-address";
import { fillRedirectUrl } from "../../domain/invoice/redirect-url";
import { amountsOf, receiptsOf } from "../../domain/invoice/receipt";
import type { Invoice } from "../../entities/invoice";
import type { Payment } from "../../entities/payment";
import { isFinal, isOpen, phaseOf } from "../../domain/invoice/phase";
import { countsByRow, lacksVanished } from "../../domain/invoice/vanished";
import { waysToPay } from "./page/ways";

/** The page can show nothing else. */
export type CheckoutView = ReturnType<typeof checkoutView>;

/** False: the page can be left alone. */
export const mayChange = ({ phase, receipts, receiptMail }: CheckoutView): boolean =>
  !isFinal(phase, receipts) || receiptMail.left !== null;

export function checkoutView(facts: CheckoutFacts) {
  const { view, store, now } = facts;
  const { invoice, methods, payments, tipHeight } = view;
  const phase = phaseOf(invoice, now);
  const remaining = remainingSats(invoice);
  const amount = amountsOf(invoice);
  const counted = payments.filter(countsByRow);
  const receipts = receiptsOf(payments, amount.of);
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
    /** Null if the price is in bitcoin. */
    currency: amount.currency,
    /** A bitcoin's price in `currency`. */
    rate: amount.rate,
    ways: isOpen(phase) ? waysToPay(methods, remaining) : [],
    missing: isOpen(phase) ? methods.filter(isMissing).map(({ type }) => type) : [],
    /** An address is allocated when the customer asks for it. */
    mayChooseOnchain: isOpen(phase) && methods.some(isChoice),
    /** For the payment that needs the most; null if none is pending. */
    confirmations: confirmationsOf(counted, tipHeight ?? 0),
    receipts,
    // Payments that count are read first.
    receiptsOmitted:
      counted.length - receipts.length + (counted.length === payments.length ? view.paymentsOmitted : 0),
    createdAt: invoice.createdAt,
    expiresAt: invoice.expiresAt,
    refund: refundOf(invoice),
    receiptMail: receiptMailOf(facts),
    returnUrl: redirectUrl === null ? null : fillRedirectUrl(redirectUrl, { invoiceId, orderId }),
    /** The payment link, where the next customer pays. */
    returnsToLink:
      invoice.paymentLinkId !== null && (redirectUrl?.endsWith(`/p/${invoice.paymentLinkId}`) ?? false),
    redirectAutomatically: invoice.redirectAutomatically,
  };
}

/** The page is public: only its ends are shown, by which whoever left it recognises it. */
function refundOf(invoice: Invoice) {
  const { refundAddress: left } = invoice;
  return {
    asked: left === null && mayLeaveRefundAddress(invoice),
    left: left && `${left.slice(0, 6)}…${left.slice(-4)}`,
  };
}

/** Likewise. */
function receiptMailOf({ receipt, offersReceipt: asked }: CheckoutFacts) {
  const email = receipt?.email ?? null;
  const [local = "", host = ""] = email?.split("@") ?? [];
  const left = `${local.slice(0, 1)}…@${host.slice(0, 1)}…${host.slice(host.lastIndexOf("."))}`;
  return { asked, left: email === null ? null : left, sent: (receipt?.sentAt ?? null) !== null };
}

const isChoice = ({ reason }: ShownMethod): boolean => reason === "not-chosen";
const isMissing = (method: ShownMethod): boolean =>
  !(method.available && method.destination !== null) && !isChoice(method);

function confirmationsOf(payments: readonly Payment[], tipHeight: number) {
  const pending = payments
    .filter(({ type, state }) => type === "BTC-CHAIN" && state === "pending")
    .map(({ blockHeight, requiredConfirmations: need }) => ({
      have: Math.min(confirmationsAt(blockHeight, tipHeight), need),
      need,
    }));
  return pending.sort((a, b) => b.need - b.have - (a.need - a.have))[0] ?? null;
}
