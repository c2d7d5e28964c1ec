import { DomainError } from "../domain/errors";

/** Longer than a statement may wait for a lock, and than a database that lives takes. */
const ANSWER_WITHIN_MS = 15_000;

/**
 * For work by which others wait as well: a connection that died without a word answers nothing for many minutes. The
 * work may still end; nobody waits for it any more.
 * @throws DomainError `unavailable`
 */
export async function inTime<T>(work: Promise<T>, deadlineMs = ANSWER_WITHIN_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // A timer of its own: to abort one of `timers/promises` makes an error with a stack each time.
    timer = setTimeout(
      () => reject(new DomainError("unavailable", "The database did not answer in time.")),
      deadlineMs,
    ).unref();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
