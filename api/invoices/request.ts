import { z } from "zod";
import { ADDITIONAL_STATUSES, INVOICE_STATUSES, MARKS, PAYMENT_METHODS } from "../../domain/invoice/status";
import { invalidField } from "../../domain/errors";
import { duplicateMember, METADATA_MAX_BYTES, metadataBytes, rawMember } from "../../domain/invoice/metadata";
import { DECIMAL, MAX_AMOUNT_LENGTH } from "../../domain/money/money";
import { EXPORT_FORMATS } from "../http/export";
import { pageFields } from "../http/schemas/page";
import { oneOf, percent, text, timeOrDay, webUrl, wholeNumber } from "../http/schemas/text";

export const expiresInSeconds = wholeNumber(30, 2_592_000);
export const monitoringSeconds = wholeNumber(0, 31_536_000);
export const requiredConfirmations = wholeNumber(0, 100);

const orderId = text(200);
const metadata = z.record(z.string(), z.unknown(), "Must be an object.").superRefine((object, issues) => {
  if (!Object.hasOwn(object, "orderId")) return;
  const read = orderId.safeParse(object["orderId"]);
  for (const { message } of read.error?.issues ?? [])
    issues.addIssue({ code: "custom", path: ["orderId"], message });
});

const ABOUT = {
  amount:
    "The price: an integer for `SATS`, up to 8 decimals for `BTC`, up to the currency's own number of decimals otherwise.",
  currency: "`BTC`, `SATS` or an ISO 4217 code. Default: the store's.",
  metadata:
    "Your own data, at most 32 KiB; returned unchanged in responses and webhooks. `orderId` is a string of at most 200 " +
    "characters. Default: the invoiceId.",
  redirectUrl: "Where the customer goes after the checkout. `{invoiceId}` and `{orderId}` are replaced.",
  redirectAutomatically: "Whether the customer goes there without a click. Default: the store's.",
  description: "Shown to the customer.",
  expiresInSeconds: "How long the price is valid. Default: the store's.",
  monitoringSeconds:
    "How long after the expiry late payments still change the invoice. Default: the store's.",
  requiredConfirmations: "How many confirmations a payment needs. Default: the store's.",
  paymentTolerance:
    "How much less than the price is accepted, in per cent with at most 4 decimals. Default: the store's.",
  paymentMethods: "Default: all of the store's.",
  language: "The language of the checkout, such as `en` or `pt-BR`.",
} as const;

/** The command checks amount and currency together. */
export const createInvoiceBody = z
  .strictObject({
    amount: z
      .string('Must be a decimal string such as "12.50".')
      .meta({ description: ABOUT.amount, pattern: DECIMAL.source, maxLength: MAX_AMOUNT_LENGTH }),
    currency: z
      .string("Must be a string.")
      .transform((code) => code.toUpperCase()) // many APIs write it in small letters
      .meta({ pattern: "^[A-Za-z]{3,4}$", description: ABOUT.currency })
      .exactOptional(),
    metadata: metadata.exactOptional().meta({ description: ABOUT.metadata }),
    redirectUrl: webUrl.exactOptional().meta({ description: ABOUT.redirectUrl }),
    redirectAutomatically: z
      .boolean("Must be true or false.")
      .exactOptional()
      .meta({ description: ABOUT.redirectAutomatically }),
    description: text(500).exactOptional().meta({ description: ABOUT.description }),
    expiresInSeconds: expiresInSeconds.exactOptional().meta({ description: ABOUT.expiresInSeconds }),
    monitoringSeconds: monitoringSeconds.exactOptional().meta({ description: ABOUT.monitoringSeconds }),
    requiredConfirmations: requiredConfirmations
      .exactOptional()
      .meta({ description: ABOUT.requiredConfirmations }),
    paymentTolerance: percent.exactOptional().meta({ description: ABOUT.paymentTolerance }),
    paymentMethods: z
      .array(oneOf(PAYMENT_METHODS), "Must be a list.")
      .min(1, "Must name at least one payment method.")
      .max(PAYMENT_METHODS.length, "Names a payment method twice.")
      .exactOptional()
      .meta({ description: ABOUT.paymentMethods }),
    language: z
      .string("Must be a string.")
      .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$/, "Must be a language tag such as en or pt-BR.")
      .exactOptional()
      .meta({ description: ABOUT.language }),
  })
  .meta({
    id: "CreateInvoice",
    examples: [
      {
        amount: "25000",
        currency: "SATS",
        metadata: { orderId: "A-1001", cart: ["tea"] },
        redirectUrl: "https://shop.example/thanks/{orderId}",
        description: "Order A-1001",
      },
      { amount: "12.50", currency: "EUR", metadata: { orderId: "A-1002" }, expiresInSeconds: 1_800 },
    ],
  });

export const markInvoiceBody = z
  .strictObject({
    status: oneOf(MARKS),
    note: text(500).exactOptional(),
  })
  .meta({ id: "MarkInvoice", examples: [{ status: "Settled", note: "Paid in cash." }] });

const severalOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.preprocess((value) => (typeof value === "string" ? [value] : value), z.array(oneOf(words)).optional());

/** Metadata is merged; `null` removes a field. */
export const editInvoiceBody = z
  .strictObject({
    metadata: metadata.exactOptional(),
    redirectUrl: webUrl.nullable().exactOptional(),
    refundAddress: z
      .null("Must be null, which removes it. Customers leave an address on the payment page.")
      .exactOptional()
      .meta({
        description: "`null` removes the address that was left on the checkout, so that another can be left.",
      }),
  })
  .meta({ id: "EditInvoice", examples: [{ metadata: { parcel: "JD0002", cart: null } }] });

const filterFields = {
  status: severalOf(INVOICE_STATUSES),
  additionalStatus: severalOf(ADDITIONAL_STATUSES),
  orderId: orderId.optional(),
  createdFrom: timeOrDay
    .optional()
    .meta({ description: "RFC 3339, inclusive; or a day in the store's `timeZone`." }),
  createdTo: timeOrDay.optional().meta({ description: "RFC 3339, exclusive; or a day, which is included." }),
  q: text(200).optional().meta({
    description: "Exactly an order id, invoice id, address, txid or payment hash.",
  }),
  search: text(200).optional().meta({
    description:
      "Words in any case, each a part of the order id or the description, or an amount (`49.90`, `€49,90`, `49.9 EUR`); or what `q` finds.",
  }),
  archived: oneOf(["true", "false"])
    .transform((word) => word === "true")
    .default(false)
    .meta({ description: "`false`: the invoices that are not archived. `true`: the archived ones only." }),
};

export const listInvoicesQuery = z.strictObject({ ...pageFields, ...filterFields });

export const exportInvoicesQuery = z.strictObject({
  format: oneOf(EXPORT_FORMATS).default("json"),
  ...filterFields,
});

/**
 * As sent; `invoiceId`: the existing invoice's.
 * @throws DomainError `validation-failed` at `/metadata` if too large or with a field twice.
 */
export function metadataText(rawBody: string, invoiceId: string | null = null): string {
  const text = rawMember(rawBody, "metadata") ?? "{}";
  if (metadataBytes(text, invoiceId) > METADATA_MAX_BYTES)
    throw invalidField("/metadata", `Must have at most ${METADATA_MAX_BYTES / 1024} KiB.`);
  const twice = duplicateMember(text);
  if (twice !== null) throw invalidField("/metadata", `Has the field ${JSON.stringify(twice)} twice.`);
  return text;
}
