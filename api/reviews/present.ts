import type { ReviewView } from "../../commands/reviews/list-reviews";
import { suggestionOf } from "../../domain/invoice/review";
import { satsToFiat } from "../../domain/money/money";
import type { Review } from "../../entities/review";

export function presentReview({ review, invoice }: ReviewView) {
  return {
    reviewId: review.id,
    invoiceId: review.invoiceId,
    orderId: invoice.orderId,
    reason: review.reason,
    suggestion: suggestionOf(review.reason),
    status: invoice.status,
    additionalStatus: invoice.additionalStatus,
    amount: invoice.amount,
    currency: invoice.currency,
    dueSats: invoice.dueSats,
    receivedSats: review.receivedSats,
    receivedAmount: invoice.rate && satsToFiat(review.receivedSats, invoice.rate.value, invoice.currency),
    confirmedSats: invoice.confirmedSats,
    lastPaidAt: review.lastPaidAt,
    refundAddress: invoice.refundAddress,
    createdAt: review.createdAt,
    resolvedAt: review.resolvedAt,
    resolution: review.resolution,
    note: review.note,
    refund: presentRefund(review),
  };
}

function presentRefund(review: Review) {
  if (review.refundReference === null) return null;
  const { refundPaidSats: paidSats } = review;
  return {
    type: review.refundType,
    reference: review.refundReference,
    amountSats: review.refundSats,
    state: review.refundState,
    paysRefundAddress: review.refundToAddress,
    paidSats,
    amountDiffers: paidSats && !paidSats.includes(review.refundSats ?? 0n),
    checkedAt: review.refundCheckedAt,
  };
}
