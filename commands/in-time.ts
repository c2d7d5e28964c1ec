import { setTimeout as sleep } from "node:timers/promises";
import { DomainError } from "../domain/errors";

/** Longer than a statement may wait for a lock, and than a database that lives takes. */
const ANSWER_WITHIN_MS = 15_000;

/**
 * For work by which others wait as well: a connection that died without a word answers nothing for many minutes. The
 * work may still end; nobody waits for it any more.
 * @throws DomainError `unavailable`
 */
export async function inTime<T>(work: Promise<T>, deadlineMs = ANSWER_WITHIN_MS): Promise<T> {
  const ended = new AbortController();
  const late = sleep(deadlineMs, undefined, { signal: ended.signal, ref: false }).then(() => {
    throw new DomainError("unavailable", "The database did not answer in time.");
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    ended.abort();
  }
}
