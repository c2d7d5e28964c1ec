import { z } from "zod";
import { REFUND_STATES, RESOLUTIONS, REVIEW_REASONS, suggestionOf } from "../../domain/invoice/review";
import { PAYMENT_METHODS } from "../../domain/invoice/status";
import { additionalStatus, invoiceStatus } from "../invoices/answer";
import { EXAMPLE_IDS, hash, id, instant, sats } from "../http/schemas/answer";
import { pageOf } from "../http/schemas/page";

const REASONS = [
  "`paid-late`: the price was paid after the expiry.",
  "`overpaid`: more than the price is confirmed.",
  "`underpaid`: the invoice expired with only a part paid.",
  "`paid-invalid`: money came to an invoice that is Invalid.",
  "`paid-archived`: an archived invoice was paid.",
].join(" ");

const refund = z.strictObject({
  type: z.enum(PAYMENT_METHODS),
  reference: hash.meta({ description: "Txid or payment hash." }),
  amountSats: sats,
  state: z.enum(REFUND_STATES).meta({
    description:
      "What the node knew of the transaction at `checkedAt`. `unchecked`: it did not answer, or the refund was sent by Lightning. `not-found`: in neither mempool nor chain, or its outputs are spent.",
  }),
  paysRefundAddress: z.boolean().nullable().meta({
    description: "Whether it pays the customer's `refundAddress`; null if none was left, or it is not known.",
  }),
  paidSats: z.array(sats).nullable().meta({
    description:
      "What it pays to `refundAddress`; where that is nothing, or none was left, its output of `amountSats` or, without one, its first sixteen outputs. Null: not known.",
  }),
  amountDiffers: z.boolean().nullable().meta({
    description:
      "Whether `amountSats` is not among them: you may have entered another amount, or transaction.",
  }),
  checkedAt: instant(),
});

export const reviewAnswer = z
  .strictObject({
    reviewId: id("rev_6Bn3kWgT9xRzPm4VyCsJdH"),
    invoiceId: id(EXAMPLE_IDS.invoiceId),
    orderId: z.string(),
    reason: z.enum(REVIEW_REASONS).meta({ description: REASONS }),
    suggestion: z.string().meta({ description: "What a merchant usually does, for people." }),
    status: invoiceStatus,
    additionalStatus,
    amount: z.string(),
    currency: z.string(),
    dueSats: sats.meta({ description: "The price in satoshi." }),
    receivedSats: sats.meta({ description: "What has come, confirmed or not, in satoshi." }),
    receivedAmount: z.string().nullable().meta({
      description: "`receivedSats` in `currency` at the invoice's rate; null if the price is in bitcoin.",
    }),
    confirmedSats: sats.meta({ description: "What is confirmed now, in satoshi." }),
    lastPaidAt: instant().meta({ description: "When the newest of these payments was first seen." }),
    refundAddress: z
      .string()
      .nullable()
      .meta({ description: "Left on the checkout by anybody who had its link; null if none was." }),
    createdAt: instant(),
    resolvedAt: instant().nullable(),
    resolution: z.enum(RESOLUTIONS).nullable(),
    note: z.string().nullable(),
    refund: refund.nullable(),
  })
  .meta({
    id: "Review",
    description: "An invoice that waits for a person's decision, and the decision.",
    examples: [
      {
        reviewId: "rev_6Bn3kWgT9xRzPm4VyCsJdH",
        invoiceId: EXAMPLE_IDS.invoiceId,
        orderId: "A-1001",
        reason: "overpaid",
        suggestion: suggestionOf("overpaid"),
        status: "Settled",
        additionalStatus: "Overpaid",
        amount: "25000",
        currency: "SATS",
        dueSats: 25_000,
        receivedSats: 35_000,
        receivedAmount: null,
        confirmedSats: 35_000,
        lastPaidAt: "2026-03-01T12:03:10.000Z",
        refundAddress: null,
        createdAt: "2026-03-01T12:14:52.000Z",
        resolvedAt: null,
        resolution: null,
        note: null,
        refund: null,
      },
    ],
  });

export const reviewPage = pageOf("ReviewPage", reviewAnswer);
