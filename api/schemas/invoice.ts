import { z } from "zod";
import { ADDITIONAL_STATUSES, INVOICE_STATUSES, MARKS, PAYMENT_METHODS } from "../../domain/invoice/status";
import { invalidField } from "../../domain/errors";
import { duplicateMember, METADATA_MAX_BYTES, rawMember } from "../../domain/invoice/metadata";
import { pageFields } from "./page";
import { oneOf, text, time, wholeNumber } from "./text";

const YEAR_SECONDS = 31_536_000;
const REDIRECT_URL = "Must be a URL that starts with https:// or http://.";
const TOLERANCE = "Must be a percentage from 0 to below 100 with at most 4 decimals.";

const redirectUrl = text(2_000).refine((url) => {
  // The URL standard drops blanks and line breaks silently.
  if (/[\s\p{Cc}]/u.test(url) || !URL.canParse(url)) return false;
  return ["https:", "http:"].includes(new URL(url).protocol);
}, REDIRECT_URL);

const metadata = z.record(z.string(), z.unknown(), "Must be an object.").superRefine((object, issues) => {
  if (!Object.hasOwn(object, "orderId")) return;
  const orderId = text(200).safeParse(object["orderId"]);
  for (const { message } of orderId.error?.issues ?? [])
    issues.addIssue({ code: "custom", path: ["orderId"], message });
});

const paymentTolerance = z
  .union([z.number(), z.string()], TOLERANCE)
  .transform(String)
  .refine((percent) => /^\d{1,2}(\.\d{1,4})?$/.test(percent), TOLERANCE);

/** Amount and currency are judged by the command, which knows them together. */
export const createInvoiceBody = z.strictObject({
  amount: z.string('Must be a decimal string such as "12.50".'),
  currency: z.string("Must be a string.").exactOptional(),
  metadata: metadata.exactOptional(),
  redirectUrl: redirectUrl.exactOptional(),
  redirectAutomatically: z.boolean("Must be true or false.").exactOptional(),
  description: text(500).exactOptional(),
  expiresInSeconds: wholeNumber(30, 2_592_000).exactOptional(),
  monitoringSeconds: wholeNumber(0, YEAR_SECONDS).exactOptional(),
  requiredConfirmations: wholeNumber(0, 100).exactOptional(),
  paymentTolerance: paymentTolerance.exactOptional(),
  paymentMethods: z
    .array(oneOf(PAYMENT_METHODS), "Must be a list.")
    .min(1, "Must name at least one payment method.")
    .max(PAYMENT_METHODS.length, "Names a payment method twice.")
    .exactOptional(),
  language: z
    .string("Must be a string.")
    .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$/, "Must be a language tag such as en or pt-BR.")
    .exactOptional(),
});

export const markInvoiceBody = z.strictObject({
  status: oneOf(MARKS),
  note: text(500).exactOptional(),
});

/** A parameter that may be given several times arrives as a list. */
const severalOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.preprocess((value) => (typeof value === "string" ? [value] : value), z.array(oneOf(words)).optional());

export const listInvoicesQuery = z.strictObject({
  ...pageFields,
  status: severalOf(INVOICE_STATUSES),
  additionalStatus: severalOf(ADDITIONAL_STATUSES),
  orderId: text(200).optional(),
  createdFrom: time.optional(),
  createdTo: time.optional(),
  q: text(200).optional(),
  archived: oneOf(["true", "false"])
    .transform((word) => word === "true")
    .default(false),
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
