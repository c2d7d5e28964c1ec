import { z } from "zod";
import { LEDGER_REASONS } from "../../commands/payments/ledger";
import { PAYMENT_METHODS } from "../../domain/invoice/status";
import { rate } from "../invoices/answer";
import { EXAMPLE_IDS, hash, id, instant, sats } from "../http/schemas/answer";
import { pageOf } from "../http/schemas/page";

const TXID = "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16";

const LEDGER_EXAMPLE = {
  id: `${TXID}:0`,
  kind: "payment",
  at: "2026-03-01T12:14:52.000Z",
  day: "2026-03-01",
  time: "12:14:52",
  orderId: "A-1001",
  invoiceId: EXAMPLE_IDS.invoiceId,
  type: "BTC-CHAIN",
  reference: `${TXID}:0`,
  amountSats: 25_000,
  counted: true,
  reason: null,
  currency: "EUR",
  fiatAmount: "24.53",
  rate: { value: "98123.45", sources: ["bitstamp", "kraken"], at: "2026-03-01T12:00:00.000Z", spread: 0 },
} as const;

const ledgerLine = z
  .strictObject({
    id: z.string().meta({ description: "Unique: the payment's id or, of a refund, the review's." }),
    kind: z.enum(["payment", "refund"]),
    at: instant().meta({ description: "When the payment was confirmed, or the refund was recorded." }),
    day: z.iso.date().meta({ description: "Of `at`, in the store's time zone." }),
    time: z.string().meta({ description: "The same." }),
    orderId: z.string(),
    invoiceId: id(EXAMPLE_IDS.invoiceId),
    type: z.enum(PAYMENT_METHODS),
    reference: z
      .union([hash, z.string().regex(/^[0-9a-f]{64}:\d+$/)])
      .meta({ description: "`txid:vout` of a payment, txid of a refund, or a payment hash." }),
    amountSats: z.int().meta({ description: "In satoshi; negative for a refund." }),
    counted: z.boolean().meta({ description: "Whether it is in the sums." }),
    reason: z.enum(LEDGER_REASONS).nullable().meta({
      description:
        "Why a payment is not counted: `below-dust` (below the dust limit) or `before-invoice` (older than the invoice). A refund that is counted, but whose payment was dropped after it: `payment-gone`.",
    }),
    currency: z.string().meta({ description: "The invoice's." }),
    fiatAmount: z.string().nullable().meta({
      description:
        "`amountSats` at the invoice's rate, rounded half up; null if its price is in bitcoin. Negative for a refund.",
    }),
    rate: rate.nullable().meta({ description: "The invoice's; null if its price is in bitcoin." }),
  })
  .meta({
    id: "LedgerLine",
    description: "A payment that was received, or a refund.",
    examples: [LEDGER_EXAMPLE],
  });

export const ledgerPage = pageOf("LedgerPage", ledgerLine);

export const ledgerExport = z
  .strictObject({ data: z.array(ledgerLine) })
  .meta({ id: "LedgerExport", examples: [{ data: [LEDGER_EXAMPLE] }] });

const count = z.int().min(0);

export const ledgerSums = z
  .strictObject({
    timeZone: z.string().meta({ description: "The store's." }),
    receivedOnchainSats: sats,
    receivedLightningSats: sats,
    refundedSats: sats,
    payments: count.meta({ description: "How many payments were counted." }),
    refunds: count,
    fiat: z
      .array(z.strictObject({ currency: z.string(), received: z.string(), refunded: z.string() }))
      .meta({ description: "The sums of `fiatAmount`, for each currency in which invoices were priced." }),
  })
  .meta({
    id: "LedgerSums",
    examples: [
      {
        timeZone: "Europe/Dublin",
        receivedOnchainSats: 25_000,
        receivedLightningSats: 0,
        refundedSats: 0,
        payments: 1,
        refunds: 0,
        fiat: [{ currency: "EUR", received: "24.53", refunded: "0.00" }],
      },
    ],
  });
