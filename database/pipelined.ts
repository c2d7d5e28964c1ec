/** The results of the work, in order. */
type Answers<W extends readonly unknown[]> = { -readonly [K in keyof W]: Awaited<W[K]> };

/**
 * After a failure in a transaction Postgres refuses all further statements with the first code, and with the second
 * a statement whose preparation was refused that way. These errors do not have a reason of their own.
 */
const FAILED_BEFORE: readonly unknown[] = ["25P02", "26000"];

/**
 * Waits for statements that were sent on one connection without waiting for each other: one round trip for all, in
 * the order in which they were sent. For statements that need none of the others' answers. It ends when all have
 * ended, even if one fails: a rollback before that would let the rest run outside the transaction.
 * @throws the first one's error.
 */
export async function pipelined<W extends readonly Promise<unknown>[]>(...work: W): Promise<Answers<W>> {
  const settled = await Promise.allSettled(work);
  const errors = settled.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  if (errors.length > 0) throw errors.find((error) => !failedBefore(error)) ?? errors[0];
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as Answers<W>;
}

function failedBefore(error: unknown): boolean {
  return error instanceof Error && "code" in error && FAILED_BEFORE.includes(error.code);
}
