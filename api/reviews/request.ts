import { z } from "zod";
import { REVIEW_STATES } from "../../commands/reviews/list-reviews";
import { RESOLUTIONS } from "../../domain/invoice/review";
import { PAYMENT_METHODS } from "../../domain/invoice/status";
import { MAX_SATS } from "../../domain/money/money";
import { pageFields } from "../http/schemas/page";
import { oneOf, text, wholeNumber } from "../http/schemas/text";

export const listReviewsQuery = z.strictObject({
  ...pageFields,
  state: oneOf(REVIEW_STATES).default("open").meta({
    description: "`open`: what waits for a decision, oldest first. `resolved`: the decisions, newest first.",
  }),
});

const satsOf = (least: number) => wholeNumber(least, Number(MAX_SATS)).transform(BigInt);

const REFERENCE = "Must be a txid or a payment hash: 64 hexadecimal digits.";

export const resolveReviewBody = z
  .strictObject({
    resolution: oneOf(RESOLUTIONS).meta({
      description:
        "`fulfilled`: the order is delivered. `refunded`: with `refund`. `kept`: the customer agreed, or did not answer. `written-off`: nothing can be done.",
    }),
    refund: z
      .strictObject({
        type: oneOf(PAYMENT_METHODS),
        reference: z
          .string(REFERENCE)
          .regex(/^[0-9a-fA-F]{64}$/, REFERENCE)
          .transform((hex) => hex.toLowerCase())
          .meta({ description: "The txid of a `BTC-CHAIN` refund, the payment hash of a `BTC-LN` one." }),
        amountSats: satsOf(1).meta({ description: "Without the fee; at most what came." }),
      })
      .exactOptional()
      .meta({ description: "What your own wallet sent. This service sends no money." }),
    note: text(500).exactOptional(),
    receivedSats: satsOf(0).exactOptional().meta({
      description:
        "The review's `receivedSats` that you decided about: if more has come since, the answer is 409 `review-changed`.",
    }),
  })
  .meta({
    id: "ResolveReview",
    examples: [
      {
        resolution: "refunded",
        refund: {
          type: "BTC-CHAIN",
          reference: "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16",
          amountSats: 10_000,
        },
        note: "Agreed by mail.",
      },
    ],
  });
