import { z } from "zod";
import { PAYMENTS_SHOWN } from "../../commands/invoices/read-invoice";
import { METHOD_REASONS } from "../../domain/invoice/method-reason";
import {
  ADDITIONAL_STATUSES,
  EVENT_TYPES,
  INVOICE_STATUSES,
  PAYMENT_METHODS,
  PAYMENT_STATES,
} from "../../domain/invoice/status";
import { EXAMPLE_IDS, hash, id, instant, sats, storeId } from "../http/schemas/answer";
import { pageOf } from "../http/schemas/page";

export const invoiceStatus = z.enum(INVOICE_STATUSES).meta({
  id: "InvoiceStatus",
  description: "Fulfil the order at Settled, not before.",
  examples: ["New"],
});

export const additionalStatus = z.enum(ADDITIONAL_STATUSES).meta({
  id: "AdditionalStatus",
  description: "What was unusual about how the invoice reached its status.",
  examples: ["None"],
});

export const eventType = z.enum(EVENT_TYPES).meta({
  id: "EventType",
  description: "An event has the name of the invoice's new status.",
  examples: ["Settled"],
});

const ADDRESS = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
const TXID = "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16";

const PAYMENT_METHOD = {
  type: "BTC-CHAIN",
  destination: ADDRESS,
  paymentUri: `bitcoin:${ADDRESS}?amount=0.00025`,
  amountSats: 25_000,
  available: true,
} as const;

const BOLT11 =
  "lnbc250u1p56g2jqpp59464hxfz5d9qkvqemdmymvth3k3x73pva3c0elwqcs2ay434qyussp5ch50rwec2f4hr5qgsl956c6rcavgtpsgmjsmrtvmzzxwtqe275vsdq5faexgetjypqj6vfsxqcsxqzuycqzzs9qyysgqz8hy2dfevmmgckug524ycamw2hw4mq30cmjz7rkls8azf68qcmk38tqdw29tuu34rmwgwy6x4yqc9nc0t8z8r73hf24g60lv3x9u8xsqh2hgcl";

const LIGHTNING_METHOD = {
  type: "BTC-LN",
  destination: BOLT11,
  paymentUri: `lightning:${BOLT11}`,
  amountSats: 25_000,
  available: true,
} as const;

const REASONS = [
  "Why the payment method has no destination and is not available.",
  "`not-activated`: the store has `lazyAddresses`, and nobody has opened the checkout or called `activateOnchain`.",
  "`not-chosen`: the invoice was created at a payment link, and the customer has not chosen to pay on-chain.",
  "`being-issued`: the BOLT11 for the amount that is due is being created.",
  "`node-unavailable`: the Lightning node did not respond; the BOLT11 is created as soon as it does.",
  "`exceeds-receivable`: the amount due is more than the Lightning node's channels can receive now.",
  "`node-clock`: the Lightning node's clock is wrong, so that wallets would refuse its BOLT11s.",
  "`no-longer-payable`: nothing can be paid with this method any more.",
  "`not-authentic`: the database does not have what this service stored there; the operator is alerted.",
].join(" ");

export const paymentMethod = z
  .strictObject({
    type: z.enum(PAYMENT_METHODS),
    destination: z
      .string()
      .nullable()
      .meta({ description: "Address or BOLT11 invoice; null while there is none." }),
    paymentUri: z.string().nullable().meta({ description: "The URI that a wallet opens." }),
    amountSats: sats.meta({
      description:
        "What is still due, in satoshi. At an address at least its dust limit: nodes relay no smaller payment, and the " +
        "invoice becomes Overpaid by the difference.",
    }),
    available: z.boolean().meta({ description: "Whether the invoice can be paid with this method now." }),
    reason: z.enum(METHOD_REASONS).optional().meta({ description: REASONS }),
  })
  .meta({
    id: "PaymentMethod",
    description: "One of the ways to pay an invoice.",
    examples: [PAYMENT_METHOD, LIGHTNING_METHOD],
  });

const PAYMENT = {
  id: `${TXID}:0`,
  type: "BTC-CHAIN",
  amountSats: 25_000,
  state: "confirmed",
  firstSeenAt: "2026-03-01T12:03:10.000Z",
  confirmedAt: "2026-03-01T12:14:52.000Z",
  late: false,
  txid: TXID,
  vout: 0,
  confirmations: 1,
  blockHeight: 939_000,
} as const;

const payment = z
  .strictObject({
    id: z.string().meta({ description: "`txid:vout`, or the payment hash." }),
    type: z.enum(PAYMENT_METHODS),
    amountSats: sats,
    state: z.enum(PAYMENT_STATES).meta({
      description:
        "Replaced and evicted payments do not count. A payment that is `confirmed` without any confirmation, because " +
        "its invoice requires none, settles nothing while an unconfirmed transaction conflicts with it.",
    }),
    firstSeenAt: instant().meta({
      description:
        "Before the invoice's `createdAt` for a payment that is older than the invoice, which never counts.",
    }),
    confirmedAt: instant().nullable(),
    late: z.boolean().meta({ description: "First seen after the invoice expired." }),
    txid: hash.optional(),
    vout: z.int().min(0).optional(),
    confirmations: z.int().min(0).optional(),
    blockHeight: z.int().min(0).nullable().optional(),
    replacedByTxid: hash.optional().meta({ description: "The id of the transaction that replaced it." }),
    paymentHash: hash.optional(),
    preimage: hash.optional().meta({ description: "The payer's proof of payment." }),
  })
  .meta({
    id: "Payment",
    description: "One transaction output or one Lightning payment.",
    examples: [PAYMENT],
  });

export const rate = z
  .strictObject({
    value: z
      .string()
      .meta({ description: "The price of one bitcoin in the invoice's currency.", examples: ["98123.45"] }),
    sources: z.array(z.string()).meta({ description: "The exchanges that agreed on it." }),
    at: instant(),
    spread: z
      .number()
      .min(0)
      .lt(100)
      .meta({ description: "The store's spread in per cent, already subtracted from `value`." }),
  })
  .meta({ id: "InvoiceRate", description: "The exchange rate with which the invoice was priced." });

export const INVOICE_EXAMPLE = {
  invoiceId: EXAMPLE_IDS.invoiceId,
  storeId: EXAMPLE_IDS.storeId,
  status: "New",
  additionalStatus: "None",
  amount: "25000",
  currency: "SATS",
  dueSats: 25_000,
  rate: null,
  paidSats: 0,
  confirmedSats: 0,
  remainingSats: 25_000,
  metadata: { orderId: "A-1001", cart: ["tea"] },
  redirectUrl: "https://shop.example/thanks/{orderId}",
  redirectAutomatically: false,
  description: "Order A-1001",
  checkoutUrl: `https://pay.example/i/${EXAMPLE_IDS.invoiceId}`,
  createdAt: "2026-03-01T12:00:00.000Z",
  expiresAt: "2026-03-01T12:15:00.000Z",
  monitoringUntil: "2026-03-02T12:15:00.000Z",
  requiredConfirmations: 1,
  paymentTolerance: 0,
  archived: false,
  refundAddress: null,
  refundAddressAt: null,
  paymentMethods: [PAYMENT_METHOD, LIGHTNING_METHOD],
  payments: [],
  paymentsOmitted: 0,
  paymentUri: `${PAYMENT_METHOD.paymentUri}&lightning=${BOLT11}`,
} as const;

export const invoiceAnswer = z
  .strictObject({
    invoiceId: id(EXAMPLE_IDS.invoiceId),
    storeId,
    status: invoiceStatus,
    additionalStatus,
    amount: z.string().meta({ description: "The price in `currency`, as it was sent.", examples: ["12.50"] }),
    currency: z.string().meta({ description: "`BTC`, `SATS` or an ISO 4217 code.", examples: ["EUR"] }),
    dueSats: sats.meta({ description: "The price in satoshi." }),
    rate: rate.nullable().meta({ description: "Null if the price is in bitcoin." }),
    paidSats: sats.meta({ description: "The sum of the payments that count, confirmed or not, in satoshi." }),
    confirmedSats: sats.meta({ description: "The confirmed part of `paidSats`, in satoshi." }),
    remainingSats: sats.meta({ description: "What is still due, in satoshi; 0 once enough was paid." }),
    metadata: z
      .record(z.string(), z.unknown())
      .meta({ description: "Exactly as it was sent: keys, their order, and values." }),
    redirectUrl: z.string().nullable().meta({
      description: "Where the customer goes after the checkout. A visit there does not prove a payment.",
    }),
    redirectAutomatically: z.boolean(),
    description: z.string().nullable(),
    checkoutUrl: z.string().meta({ description: "The checkout: the page on which the customer pays." }),
    createdAt: instant(),
    expiresAt: instant("2026-03-01T12:15:00.000Z"),
    monitoringUntil: instant("2026-03-02T12:15:00.000Z").meta({
      description:
        "Until then late payments still change the invoice; a payment of the whole price does so for ever.",
    }),
    requiredConfirmations: z.int().min(0).max(100),
    paymentTolerance: z
      .number()
      .min(0)
      .lt(100)
      .meta({ description: "How much less than the price is accepted, in per cent." }),
    archived: z.boolean(),
    refundAddress: z.string().nullable().meta({
      description:
        "A Bitcoin address for a refund, left by anybody who had the link to the checkout: ask the customer before you send a large amount. Null if there is none.",
    }),
    refundAddressAt: instant().nullable().meta({ description: "When the refund address was left." }),
    paymentMethods: z.array(paymentMethod),
    payments: z
      .array(payment)
      .max(PAYMENTS_SHOWN)
      .meta({ description: `Oldest first; of more than ${PAYMENTS_SHOWN} the largest that count.` }),
    paymentsOmitted: z.int().min(0).meta({
      description:
        "How many payments are missing from `payments`; usually 0. The sums include them, and the history lists each.",
    }),
    paymentUri: z
      .string()
      .nullable()
      .meta({ description: "One URI with all available payment methods (BIP 21); null if there is none." }),
  })
  .meta({ id: "Invoice", examples: [INVOICE_EXAMPLE] });

export const invoicePage = pageOf("InvoicePage", invoiceAnswer);

export const invoiceExport = z
  .strictObject({ data: z.array(invoiceAnswer) })
  .meta({ id: "InvoiceExport", examples: [{ data: [INVOICE_EXAMPLE] }] });
