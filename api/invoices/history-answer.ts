import { z } from "zod";
import { PAYMENT_METHODS, PAYMENT_STATES } from "../../domain/invoice/status";
import { EXAMPLE_IDS, hash, id, instant, sats } from "../http/schemas/answer";
import { additionalStatus, eventType, invoiceStatus } from "./answer";
import { pageOf } from "../http/schemas/page";

const STATUS = {
  at: "2026-03-01T12:14:52.000Z",
  kind: "status",
  status: "Settled",
  additionalStatus: "None",
  reason: "The price is confirmed.",
};

const at = instant();
const historyLine = z
  .discriminatedUnion("kind", [
    z
      .strictObject({
        at,
        kind: z.literal("status"),
        status: invoiceStatus,
        additionalStatus,
        reason: z.string().meta({ description: "In words, for people." }),
        note: z.string().optional().meta({ description: "The note of the user who marked the invoice." }),
      })
      .meta({ id: "HistoryStatus", description: "The invoice's status changed.", examples: [STATUS] }),
    z
      .strictObject({
        at,
        kind: z.literal("payment"),
        change: z.string().meta({ description: "The kind of change.", examples: ["confirmed"] }),
        paymentId: z.string(),
        type: z.enum(PAYMENT_METHODS),
        amountSats: sats,
        state: z.enum(PAYMENT_STATES),
        belowDust: z.boolean().meta({ description: "Whether the amount is too small to count." }),
        beforeInvoice: z.boolean().optional().meta({
          description: "Present for a payment that is older than the invoice, and so is not counted.",
        }),
        blockHeight: z.int().min(0).optional(),
        conflictTxid: hash
          .optional()
          .meta({ description: "The id of a transaction that spends the same coins." }),
      })
      .meta({ id: "HistoryPayment", description: "A payment was detected or changed." }),
    z
      .strictObject({
        at,
        kind: z.literal("event"),
        eventId: id(EXAMPLE_IDS.eventId),
        type: eventType,
        additionalStatus,
      })
      .meta({ id: "HistoryEvent", description: "An event was created, to be delivered to webhooks." }),
    z
      .strictObject({
        at,
        kind: z.literal("activated"),
        type: z.enum(PAYMENT_METHODS),
        address: z.string(),
      })
      .meta({
        id: "HistoryActivated",
        description: "An invoice that was created without an address got one.",
      }),
    z
      .strictObject({
        at,
        kind: z.literal("edited"),
        fields: z.array(z.string()).meta({ examples: [["metadata"]] }),
      })
      .meta({ id: "HistoryEdit", description: "The invoice was edited by hand." }),
    z
      .strictObject({ at, kind: z.literal("refund-address") })
      .meta({ id: "HistoryRefundAddress", description: "A refund address was left on the checkout." }),
    z.strictObject({ at, kind: z.enum(["receipt-asked", "receipt-sent", "receipt-refused"]) }).meta({
      id: "HistoryReceipt",
      description: "The customer asked for a receipt by mail, or the mail server accepted or refused it.",
    }),
    z
      .strictObject({ at, kind: z.enum(["archived", "unarchived"]) })
      .meta({ id: "HistoryArchive", description: "The invoice was archived or restored." }),
  ])
  .meta({ id: "HistoryLine", examples: [STATUS] });

export const historyPage = pageOf("HistoryPage", historyLine);
