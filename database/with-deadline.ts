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
