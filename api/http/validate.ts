import type { z } from "zod";
import { DomainError, type FieldError } from "../../domain/errors";

/** More wrong fields are counted and not listed: a request with thousands of them must not cost an answer of megabytes. */
const LISTED_MAX = 20;
/** Of a field's name, which the caller chose. */
const POINTER_MAX_LENGTH = 200;

/** What a schema makes of a value. @throws DomainError `validation-failed` with the wrong fields, at most 20 of them. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors: FieldError[] = [];
  let found = 0;
  for (const issue of result.error.issues) {
    const paths = pathsOf(issue);
    found += paths.length;
    for (const path of paths.slice(0, LISTED_MAX - errors.length))
      errors.push({ pointer: pointer(path), message: messageOf(issue) });
  }
  throw new DomainError("validation-failed", summary(errors, found - errors.length), errors);
}

/** RFC 6901. */
function pointer(path: readonly PropertyKey[]): string {
  const text = path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  return text.length > POINTER_MAX_LENGTH ? `${text.slice(0, POINTER_MAX_LENGTH)}…` : text;
}

/** One for each unknown field, and the issue's own for all else. */
function pathsOf(issue: z.core.$ZodIssue): PropertyKey[][] {
  return issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return "Unknown field.";
  return issue.code === "invalid_type" && issue.input === undefined ? "Required." : issue.message;
}

function summary(errors: readonly FieldError[], more: number): string {
  const listed = errors.map(({ pointer: at, message }) => `${at || "The body"}: ${message}`).join(" ");
  return more === 0 ? listed : `${listed} And ${more} more errors.`;
}
