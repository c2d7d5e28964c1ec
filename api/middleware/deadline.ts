import type { Middleware } from "koa";
import { DomainError } from "../../domain/errors";

/** Longer than any statement and any look-up may take. */
const DEADLINE_MS = 30_000;

/** Answers 503 when a request takes too long. What it began may still end: the answer does not say that nothing was done. */
export function deadline(milliseconds = DEADLINE_MS): Middleware {
  return async (_koa, next) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new DomainError("unavailable", "The request took too long. Read before you repeat it.")),
        milliseconds,
      );
    });
    try {
      await Promise.race([next(), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}
