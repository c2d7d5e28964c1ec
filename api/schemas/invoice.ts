import { z } from "zod";
import { ADDITIONAL_STATUSES, INVOICE_STATUSES, MARKS, PAYMENT_METHODS } from "../../domain/invoice/status";
import { invalidField } from "../../domain/errors";
import { duplicateMember, METADATA_MAX_BYTES, rawMember } from "../../domain/invoice/metadata";
import { pageFields } from "./page";
import { oneOf, percent, text, time, webUrl, wholeNumber } from "./text";

/** The bounds of what stores and invoices say of their times. */
export const expiresInSeconds = wholeNumber(30, 2_592_000);
export const monitoringSeconds = wholeNumber(0, 31_536_000);
export const requiredConfirmations = wholeNumber(0, 100);

const metadata = z.record(z.string(), z.unknown(), "Must be an object.").superRefine((object, issues) => {
  if (!Object.hasOwn(object, "orderId")) return;
  const orderId = text(200).safeParse(object["orderId"]);
  for (const { message } of orderId.error?.issues ?? [])
    issues.addIssue({ code: "custom", path: ["orderId"], message });
});

/** Amount and currency are judged by the command, which knows them together. */
export const createInvoiceBody = z
  .strictObject({
    amount: z.string('Must be a decimal string such as "12.50".'),
    currency: z.string("Must be a string.").exactOptional(),
    metadata: metadata.exactOptional(),
    redirectUrl: webUrl.exactOptional(),
    redirectAutomatically: z.boolean("Must be true or false.").exactOptional(),
    description: text(500).exactOptional(),
    expiresInSeconds: expiresInSeconds.exactOptional(),
    monitoringSeconds: monitoringSeconds.exactOptional(),
    requiredConfirmations: requiredConfirmations.exactOptional(),
    paymentTolerance: percent.exactOptional(),
    paymentMethods: z
      .array(oneOf(PAYMENT_METHODS), "Must be a list.")
      .min(1, "Must name at least one payment method.")
      .max(PAYMENT_METHODS.length, "Names a payment method twice.")
      .exactOptional(),
    language: z
      .string("Must be a string.")
      .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$/, "Must be a language tag such as en or pt-BR.")
      .exactOptional(),
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

/** A parameter that may be given several times arrives as a list. */
const severalOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.preprocess((value) => (typeof value === "string" ? [value] : value), z.array(oneOf(words)).optional());

/** What is left out stays. Fields of metadata are put into those that there are; `null` takes one away. */
export const editInvoiceBody = z
  .strictObject({
    metadata: metadata.exactOptional(),
    redirectUrl: webUrl.nullable().exactOptional(),
  })
  .meta({ id: "EditInvoice", examples: [{ metadata: { parcel: "JD0002", cart: null } }] });

const filterFields = {
  status: severalOf(INVOICE_STATUSES),
  additionalStatus: severalOf(ADDITIONAL_STATUSES),
  orderId: text(200).optional(),
  createdFrom: time.optional(),
  createdTo: time.optional(),
  q: text(200).optional(),
  archived: oneOf(["true", "false"])
    .transform((word) => word === "true")
    .default(false),
};

export const listInvoicesQuery = z.strictObject({ ...pageFields, ...filterFields });

export const EXPORT_FORMATS = ["csv", "json"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const exportInvoicesQuery = z.strictObject({
  format: oneOf(EXPORT_FORMATS).default("json"),
  ...filterFields,
});

/**
 * The metadata of a valid body as they were sent.
 * @throws DomainError `validation-failed` at `/metadata` when they are too large or name a field twice.
 */
export function metadataText(rawBody: string): string {
  const text = rawMember(rawBody, "metadata") ?? "{}";
  if (Buffer.byteLength(text) > METADATA_MAX_BYTES)
    throw invalidField("/metadata", `Must have at most ${METADATA_MAX_BYTES / 1024} KiB.`);
  const twice = duplicateMember(text);
  if (twice !== null) throw invalidField("/metadata", `Has the field ${JSON.stringify(twice)} twice.`);
  return text;
}
