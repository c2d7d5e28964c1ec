import { z } from "zod";
import { namingMembers, rawMember } from "../../domain/invoice/metadata";
import { MARKS } from "../../domain/invoice/status";
import { withTextOrderId } from "../../domain/greenfield/metadata-order";
import { SPEED_POLICIES } from "../../domain/greenfield/speed-policy";
import { GREENFIELD_STATUSES } from "../../domain/greenfield/status";
import { percent, text, webUrl, wholeNumber } from "../http/schemas/text";
import { validate } from "../http/validate";
import { metadataText } from "../invoices/request";
import { fields, flag, integer, once, optional, orderId, query, several, wordOf } from "./request";

const expirationMinutes = wholeNumber(1, 43_200);
const monitoringMinutes = wholeNumber(0, 525_600);

/** PHP writes an empty object as a list. */
const phpObject = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (Array.isArray(value) && value.length === 0 ? {} : value), optional(schema));

const emptyAsAbsent = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (value === "" ? null : value), optional(schema));

const metadata = phpObject(z.record(z.string(), z.unknown(), "Must be an object."));

/** A plugin that computes it sends 0.30000000000000004. */
const tolerance = z.preprocess((value) => {
  if (typeof value === "number" && value >= 0) return Number(value.toFixed(4));
  if (typeof value === "string" && /^\d{1,2}\.\d{5,}$/.test(value)) return Number(value).toFixed(4);
  return value;
}, optional(percent));

const checkout = fields(
  {
    speedPolicy: emptyAsAbsent(wordOf(SPEED_POLICIES)),
    paymentMethods: optional(z.array(z.string("Must be a string.")).max(100, "At most 100 of them.")),
    expirationMinutes: optional(expirationMinutes),
    monitoringMinutes: optional(monitoringMinutes),
    paymentTolerance: tolerance,
    redirectURL: emptyAsAbsent(webUrl),
    redirectAutomatically: optional(z.boolean("Must be true or false.")),
    defaultLanguage: optional(z.string("Must be a string.")),
  },
  "Must be an object.",
);

export const AMOUNT = 'Must be a number or a decimal string such as "12.50".';

export const createBody = fields({
  /** Its digits are read from the text. */
  amount: z.union([z.string(), z.number()], {
    error: ({ input }) =>
      input === undefined || input === null
        ? "Required: invoices without an amount are not supported."
        : AMOUNT,
  }),
  currency: optional(z.string("Must be a string.").transform((code) => code.trim().toUpperCase())),
  metadata,
  checkout: phpObject(checkout),
});

export const updateBody = fields({ metadata });

export const markBody = fields({ status: wordOf(MARKS) });

const LAST_SECOND = 253_402_300_799;
/** A page is read as a whole, with all metadata. */
const TAKEN_MAX = 100;

export const listQuery = (skippedMax: number) =>
  query({
    orderId: several(orderId),
    status: several(wordOf(GREENFIELD_STATUSES)),
    textSearch: once(text(200)).optional(),
    startDate: once(integer(0, LAST_SECOND)).optional(),
    endDate: once(integer(0, LAST_SECOND - 1)).optional(),
    take: once(
      integer(1, Number.MAX_SAFE_INTEGER).transform((wished) => Math.min(wished, TAKEN_MAX)),
    ).default(50),
    skip: once(integer(0, skippedMax)).default(0),
    includeArchived: once(flag).default(false),
  });

const withOrderId = z.object({ metadata: z.object({ orderId: orderId.optional() }) });

/** As sent, with a text as order id. @throws DomainError `validation-failed`. */
export function pluginMetadata(rawBody: string, invoiceId: string | null = null): string {
  const sent = withTextOrderId(metadataText(namingMembers(rawBody, ["metadata"]), invoiceId));
  const raw = rawMember(sent, "orderId");
  const own = raw === null ? {} : { orderId: JSON.parse(raw) as unknown };
  validate(withOrderId, { metadata: own });
  return sent;
}
