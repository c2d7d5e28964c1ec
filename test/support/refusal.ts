import { DomainError } from "../../domain/errors";

/** The error of that class with which it fails. */
export async function failureOf<E extends Error>(
  work: Promise<unknown>,
  kind: abstract new (...args: never[]) => E,
): Promise<E> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof kind) return error;
  throw new Error(`not refused: ${String(error)}`);
}

export const refusal = (work: Promise<unknown>): Promise<DomainError> => failureOf(work, DomainError);
export const refusalCode = async (work: Promise<unknown>): Promise<string> => (await refusal(work)).code;
