import { withDeadline } from "./with-deadline";
import { DomainError } from "../domain/errors";

/** Above lock waits, and any answer of a database that is up. */
const ANSWER_WITHIN_MS = 15_000;

/**
 * For statements on which other requests wait: a dead connection does not answer for many minutes.
 * @throws DomainError `unavailable`
 */
export function inTime<T>(work: Promise<T>, deadlineMs = ANSWER_WITHIN_MS): Promise<T> {
  const late = (): Error => new DomainError("unavailable", "The database did not answer in time.");
  return withDeadline(deadlineMs, () => work, late);
}
