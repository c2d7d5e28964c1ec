/** One page of a list. */
export interface Page<T> {
  data: T[];
  /** For the next page; null at the end. */
  nextCursor: string | null;
}

/** All entries of a list, page by page as they are needed. */
export async function* everyEntry<T>(
  read: (cursor: string | undefined) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  let cursor: string | undefined;
  do {
    const { data, nextCursor } = await read(cursor);
    yield* data;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}
