import { listReviews } from "../../commands/reviews/list-reviews";
import { checkRefund, resolveReview } from "../../commands/reviews/resolve-review";
import { presentPage } from "../http/present-page";
import { route } from "../http/route";
import { emptyBody } from "../http/schemas/text";
import { reviewAnswer, reviewPage } from "./answer";
import { presentReview } from "./present";
import { listReviewsQuery, resolveReviewBody } from "./request";

export const reviewRoutes = [
  route({
    method: "get",
    path: "/stores/:storeId/reviews",
    operationId: "listReviews",
    access: ["read"],
    tags: ["Reviews"],
    summary: "List what waits for a person's decision, oldest first",
    description:
      "Money came that no rule decides about: late, too much, too little, or to an invoice that is Invalid or archived. A review is written with the state that it asks about, follows the invoice while it is open, and is opened again by a new payment after it was resolved.",
    query: listReviewsQuery,
    answer: reviewPage,
    async handle({ ctx, params: { storeId }, query: { limit, cursor, state } }) {
      return presentPage(await listReviews(ctx, storeId, state, { limit, cursor }), presentReview);
    },
  }),
  route({
    method: "post",
    path: "/stores/:storeId/reviews/:reviewId/resolve",
    operationId: "resolveReview",
    sudo: false,
    tags: ["Reviews"],
    summary: "Record what was decided",
    description:
      "It changes no invoice and sends neither money nor an event: mark the invoice by hand if the shop has to be told. A refund by `BTC-CHAIN` is looked up at the Bitcoin node.",
    body: resolveReviewBody,
    answer: reviewAnswer,
    errors: ["review-resolved", "review-changed", "refund-recorded"],
    async handle({ ctx, params: { storeId, reviewId }, body }) {
      return presentReview(await resolveReview(ctx, storeId, reviewId, body));
    },
  }),
  route({
    method: "post",
    path: "/stores/:storeId/reviews/:reviewId/check",
    operationId: "checkRefund",
    sudo: false,
    tags: ["Reviews"],
    summary: "Look the refund's transaction up again",
    body: emptyBody,
    answer: reviewAnswer,
    async handle({ ctx, params: { storeId, reviewId } }) {
      return presentReview(await checkRefund(ctx, storeId, reviewId));
    },
  }),
];
