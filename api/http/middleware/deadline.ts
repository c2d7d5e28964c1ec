import type { Middleware } from "koa";
import { withDeadline } from "../../../database/with-deadline";
import { DomainError } from "../../../domain/errors";

/** Longer than any statement or look-up may take. */
const DEADLINE_MS = 30_000;

/**
 * Answers 503 when a request takes too long. Its work may still complete: the answer does not say that nothing was
 * done.
 */
export function deadline(milliseconds = DEADLINE_MS): Middleware {
  const late = (): Error =>
    new DomainError(
      "unavailable",
      "The request took too long and may have taken effect. Read the resource before you repeat it.",
    );
  return (_koa, next) => withDeadline(milliseconds, next, late);
}
