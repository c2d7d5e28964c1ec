/** The work did not end in time. It may still end later; nobody waits for it any more. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/** Ends with the work, or with a DeadlineError after `deadlineMs`; `expired` tells the work that it is too late. */
export async function withDeadline<T>(
  deadlineMs: number,
  work: (expired: () => boolean) => Promise<T>,
): Promise<T> {
  let expired = false;
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      expired = true;
      reject(new DeadlineError(`no answer within ${deadlineMs} ms`));
    }, deadlineMs);
  });
  try {
    // The race handles a rejection of the work that comes too late, too.
    return await Promise.race([work(() => expired), deadline]);
  } finally {
    clearTimeout(timer);
  }
}
