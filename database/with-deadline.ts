import { DomainError } from "../domain/errors";

/** The work may still end later; its result is ignored. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/** `late` makes the error. The signal aborts the work when its caller has been answered. */
export async function withDeadline<T>(
  deadlineMs: number,
  work: (late: AbortSignal) => Promise<T>,
  late: () => Error = () => new DeadlineError(`no answer within ${deadlineMs} ms`),
): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(late());
      controller.abort();
    }, deadlineMs);
  });
  try {
    // It also handles a late rejection.
    return await Promise.race([work(controller.signal), deadline]);
  } finally {
    clearTimeout(timer);
  }
}

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
