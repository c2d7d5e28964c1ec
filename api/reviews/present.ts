import type { ReviewView } from "../../commands/reviews/list-reviews";
import { suggestionOf } from "../../domain/invoice/review";
import { satsToFiat } from "../../domain/money/money";
import type { Review } from "../../entities/review";
import { presenter } from "../http/presenter";
import { reviewAnswer } from "./answer";

const shown = presenter(reviewAnswer);

export const presentReview = ({ review, invoice }: ReviewView) =>
  shown(
    { ...invoice, ...review },
    {
      reviewId: review.id,
      suggestion: suggestionOf(review.reason),
      receivedAmount: invoice.rate && satsToFiat(review.receivedSats, invoice.rate.value, invoice.currency),
      refund: presentRefund(review),
    },
  );

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
