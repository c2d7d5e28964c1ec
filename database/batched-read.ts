import type { DataSource } from "typeorm";
import { batch } from "./batch";
import { perDatabase } from "./per-database";

/**
 * Reads single keys through a `read` of many: simultaneous requests share a statement. It begins after the last of
 * them was made, so each sees what was committed before it. Requests for the same key share a result, which is
 * read-only. `read` is given the context of one of the requests.
 */
export function batchedRead<C extends { db: DataSource }, T>(
  read: (ctx: C, keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (ctx: C, key: string) => Promise<T | undefined> {
  const readerOf = perDatabase(() =>
    batch<{ ctx: C; key: string }, T | undefined>(
      async (asked) => {
        const [first] = asked;
        if (first === undefined) return [];
        const found = await read(first.ctx, [...new Set(asked.map(({ key }) => key))]);
        return asked.map(({ key }) => found.get(key));
      },
      { runsAtOnce: 2 },
    ),
  );
  return (ctx, key) => readerOf(ctx.db)({ ctx, key });
}
