import type { Middleware } from "koa";
import { withDeadline } from "../../../database/with-deadline";
import { DomainError } from "../../../domain/errors";

/** Above any statement or look-up. */
const DEADLINE_MS = 30_000;

/** 503. The work may still complete. */
export function deadline(milliseconds = DEADLINE_MS): Middleware {
  const late = (): Error =>
    new DomainError(
      "unavailable",
      "The request took too long and may have taken effect. Read the resource before you repeat it.",
    );
  return (_koa, next) => withDeadline(milliseconds, next, late);
}
