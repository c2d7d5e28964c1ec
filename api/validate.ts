import type { z } from "zod";
import { DomainError, type FieldError } from "../domain/errors";

/** What a schema makes of a value. @throws DomainError `validation-failed` with every wrong field. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = result.error.issues.flatMap(fieldErrors);
  throw new DomainError("validation-failed", summary(errors), errors);
}

/** RFC 6901. */
function pointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      pointer: pointer([...issue.path, key]),
      message: `There is no field or parameter of this name.`,
    }));
  const missing = issue.code === "invalid_type" && issue.input === undefined;
  return [{ pointer: pointer(issue.path), message: missing ? "Is missing." : issue.message }];
}

function summary(errors: readonly FieldError[]): string {
  return errors.map(({ pointer: at, message }) => `${at || "The body"}: ${message}`).join(" ");
}
