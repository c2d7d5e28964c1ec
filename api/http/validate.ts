import type { z } from "zod";
import { DomainError, type FieldError, inWords } from "../../domain/errors";

/** Further wrong fields are only counted. */
const LISTED_MAX = 20;
const POINTER_MAX_LENGTH = 200;
const UNKNOWN_OWN = "Unknown field. Your own go into metadata.";

/** @throws DomainError `validation-failed` with at most 20 wrong fields. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  // Otherwise a value of the wrong type looks like a missing one.
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const errors: FieldError[] = [];
  let found = 0;
  for (const issue of result.error.issues) {
    const paths = pathsOf(issue);
    found += paths.length;
    for (const path of paths.slice(0, LISTED_MAX - errors.length))
      errors.push({ pointer: pointer(path), message: messageOf(issue, schema) });
  }
  throw new DomainError("validation-failed", summary(errors, found - errors.length), errors);
}

/** RFC 6901. */
function pointer(path: readonly PropertyKey[]): string {
  const text = path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  return text.length > POINTER_MAX_LENGTH ? `${text.slice(0, POINTER_MAX_LENGTH)}…` : text;
}

function pathsOf(issue: z.core.$ZodIssue): PropertyKey[][] {
  return issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
}

function messageOf(issue: z.core.$ZodIssue, schema: z.ZodType): string {
  if (issue.code === "unrecognized_keys") return takesOwn(schema) ? UNKNOWN_OWN : "Unknown field.";
  if (issue.code !== "invalid_type") return issue.message;
  if (issue.input === undefined) return "Required.";
  return issue.expected === "object" ? "Must be an object." : issue.message;
}

/** An order id beside the price is what newcomers send first. */
function takesOwn(schema: z.ZodType): boolean {
  return "shape" in schema && Object.hasOwn(schema.shape as object, "metadata");
}

function summary(errors: readonly FieldError[], more: number): string {
  const listed = errors.map(inWords).join(" ");
  return more === 0 ? listed : `${listed} And ${more} more errors.`;
}
