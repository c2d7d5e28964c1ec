import { z } from "zod";
import { text } from "../http/schemas/text";

export const optional = <S extends z.ZodType>(schema: S) =>
  schema.nullish().transform((value) => value ?? undefined);

/** Names in any case, as BTCPay Server reads them; the last of several counts. */
export const fields = <S extends z.ZodRawShape>(shape: S, error?: string) =>
  z.preprocess((value) => namedAs(Object.keys(shape), value), z.object(shape, error));

function namedAs(names: readonly string[], value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const nameOf = nameAmong(names);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [nameOf(name), member]));
}

function nameAmong(names: readonly string[]): (sent: string) => string {
  const known = new Map(names.map((name) => [name.toLowerCase(), name]));
  return (sent) => known.get(sent.toLowerCase()) ?? sent;
}

export const wordOf = <const W extends string>(words: readonly W[]) =>
  z.string("Must be a string.").transform((sent, issues): W => {
    const word = words.find((one) => one.toLowerCase() === sent.toLowerCase());
    if (word !== undefined) return word;
    issues.addIssue({ code: "custom", message: `Must be ${words.join(" or ")}.` });
    return z.NEVER;
  });

type Query = Record<string, string | string[]>;

/** An empty search must find nothing: without the filter it would find every invoice. */
const MEANT_WHEN_EMPTY = ["orderId", "textSearch"];

/** Also as PHP writes lists (`orderId[]=`, `orderId[a]=`), in any case. Empty is absent, except in a search. */
function namesWithoutBrackets(names: readonly string[], query: unknown): Record<string, string[]> {
  const nameOf = nameAmong(names);
  const plain = new Map<string, string[]>();
  for (const [name, value] of Object.entries(query as Query)) {
    const own = nameOf(name.replace(/\[.*$/s, ""));
    const given = [value].flat().filter((one) => one !== "" || MEANT_WHEN_EMPTY.includes(own));
    if (given.length > 0) plain.set(own, [...(plain.get(own) ?? []), ...given]);
  }
  return Object.fromEntries(plain);
}

/** Each a list. Unknown ones are dropped. */
export const query = <S extends z.ZodRawShape>(shape: S) =>
  z.preprocess((sent) => namesWithoutBrackets(Object.keys(shape), sent), z.object(shape));

export const anyQuery = query({});

export const several = <S extends z.ZodType>(schema: S) =>
  z.array(schema).max(20, "At most 20 of them.").optional();

/** The last of several counts. */
export const once = <S extends z.ZodType<unknown, string>>(schema: S) =>
  z
    .array(z.string())
    .transform((values) => values.at(-1) ?? "")
    .pipe(schema);

const INTEGER = /^\d{1,15}$/;

export const integer = (least: number, most: number) => {
  const message = `Must be a whole number from ${least} to ${most}.`;
  return z
    .string()
    .regex(INTEGER, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message);
};

/** PHP writes 1 and 0. */
export const flag = wordOf(["true", "false", "1", "0"]).transform((word) => word === "true" || word === "1");

export const orderId = text(200);
