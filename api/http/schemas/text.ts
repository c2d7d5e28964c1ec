import { z } from "zod";
import { isDay } from "../../../domain/time-zone";

/** Postgres stores neither a NUL nor half of a surrogate pair. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

const characters = (text: string): number => [...text].length;

/** In code points; storable and returned unchanged. */
export const text = (maxLength: number) =>
  z
    .string("Must be a string.")
    .refine((value) => characters(value) <= maxLength, `Must have at most ${maxLength} characters.`)
    .refine((value) => !UNSTORABLE.test(value), "Must not contain NUL or an unpaired surrogate.")
    .meta({ maxLength });

/** The bounds also refuse 1e999. */
export const wholeNumber = (least: number, most: number) => {
  const message = `Must be a whole number from ${least} to ${most}.`;
  return z.int({ error: message, abort: true }).min(least, message).max(most, message);
};

const TIME =
  /^(?:19[7-9]|[2-9]\d\d)\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/;

const isTime = (text: string): boolean =>
  TIME.test(text) && z.iso.datetime({ offset: true }).safeParse(text).success;

/** RFC 3339, kept as text, so that its microseconds survive. */
export const time = z
  .string("Must be a string.")
  .refine(isTime, "Must be an RFC 3339 time such as 2026-01-31T12:00:00Z.")
  .meta({ format: "date-time" });

export const timeOrDay = z
  .string("Must be a string.")
  .refine(
    (text) => isTime(text) || isDay(text),
    "Must be an RFC 3339 time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31.",
  )
  .meta({ examples: ["2026-01-31T12:00:00Z", "2026-01-31"] });

export const day = z
  .string("Must be a string.")
  .refine(isDay, "Must be a day such as 2026-01-31.")
  .meta({ format: "date" });

export const oneOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, `Must be ${words.join(" or ")}.`);

export const url = (protocols: readonly string[], message: string) =>
  text(2_000)
    // The URL standard drops some silently.
    .refine((value) => !/[\s\p{Cc}]/u.test(value), {
      error: "Must not contain blanks or line breaks: write a blank as %20.",
      abort: true,
    })
    .refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), message);

export const webUrl = url(["https:", "http:"], "Must be a URL that starts with https:// or http://.");

const PERCENT = "Must be a percentage from 0 to below 100 with at most 4 decimals.";
const PERCENT_TEXT = /^\d{1,2}(\.\d{1,4})?$/;

/** Number or decimal string; parsed to a decimal string. */
export const percent = z
  .union(
    [
      z
        .number()
        .min(0, { error: PERCENT, abort: true })
        .lt(100, { error: PERCENT, abort: true })
        .refine((value) => PERCENT_TEXT.test(String(value)), PERCENT),
      z.string().regex(PERCENT_TEXT, PERCENT),
    ],
    PERCENT,
  )
  .transform(String);

/** The command checks whether it exists. */
export const currencyCode = z.string("Must be a string.").meta({ pattern: "^[A-Z]{3,4}$" });

/** Any parameter is refused by name. */
export const noQuery = z.strictObject({});

/** None, or an empty object. */
export const emptyBody = z.strictObject({});
