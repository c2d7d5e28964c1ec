import { z } from "zod";
import { PAYMENT_METHODS, PAYMENT_STATES } from "../../domain/invoice/status";
import { EXAMPLE_IDS, hash, id, instant, sats } from "./answer";
import { additionalStatus, invoiceStatus } from "./invoice-answer";
import { pageOf } from "./page";
import { eventType } from "./webhook-answer";

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
        reason: z.string().meta({ description: "For people." }),
        note: z.string().optional().meta({ description: "What the hand that marked it wrote." }),
      })
      .meta({ id: "HistoryStatus", description: "The invoice took a status.", examples: [STATUS] }),
    z
      .strictObject({
        at,
        kind: z.literal("payment"),
        change: z.string().meta({ description: "What happened to it, in a word.", examples: ["confirmed"] }),
        paymentId: z.string(),
        type: z.enum(PAYMENT_METHODS),
        amountSats: sats,
        state: z.enum(PAYMENT_STATES),
        belowDust: z.boolean().meta({ description: "Too small to count." }),
        blockHeight: z.int().min(0).optional(),
        conflictTxid: hash.optional().meta({ description: "Of a transaction that spends the same coins." }),
      })
      .meta({ id: "HistoryPayment", description: "A payment came, or changed." }),
    z
      .strictObject({
        at,
        kind: z.literal("event"),
        eventId: id(EXAMPLE_IDS.eventId),
        type: eventType,
        additionalStatus,
      })
      .meta({ id: "HistoryEvent", description: "An event was written, to be told to webhooks." }),
    z
      .strictObject({
        at,
        kind: z.literal("activated"),
        type: z.enum(PAYMENT_METHODS),
        address: z.string(),
      })
      .meta({ id: "HistoryActivated", description: "It got the address that it was created without." }),
    z
      .strictObject({
        at,
        kind: z.literal("edited"),
        fields: z.array(z.string()).meta({ examples: [["metadata"]] }),
      })
      .meta({ id: "HistoryEdit", description: "A hand changed what the invoice carries." }),
    z
      .strictObject({ at, kind: z.literal("refund-address") })
      .meta({ id: "HistoryRefundAddress", description: "An address for a refund was left on its page." }),
    z
      .strictObject({ at, kind: z.enum(["archived", "unarchived"]) })
      .meta({ id: "HistoryArchive", description: "It was put away from the list, or back." }),
  ])
  .meta({ id: "HistoryLine", examples: [STATUS] });

export const historyPage = pageOf("HistoryPage", historyLine);
