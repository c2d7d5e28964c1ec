/** What the work answers, by its place. */
type Answers<W extends readonly unknown[]> = { -readonly [K in keyof W]: Awaited<W[K]> };

/**
 * Postgres refuses what follows a failure in the same transaction with the first code, and with the second a statement by
 * a name that was to be prepared behind the failure, and so was not. They say nothing of their own.
 */
const FAILED_BEFORE: readonly unknown[] = ["25P02", "26000"];

/**
 * Waits for statements that were sent to one connection without waiting for each other: a round trip for all of them, in
 * the order in which they were sent. For statements that need none of the others' answers. It ends when all have ended,
 * also where one fails: until then nobody may roll back, or what is still sent would run outside the transaction.
 * @throws what made the first of them fail.
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
