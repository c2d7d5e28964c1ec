import type { DataSource } from "typeorm";
import { batch } from "./batch";
import { perDatabase } from "./per-database";

/**
 * Reads single keys through a `read` of many: simultaneous requests share a statement. It begins after the last of
 * them was made, so each sees what was committed before it. Requests for the same key share a result, which is
 * read-only.
 */
export function batchedRead<T>(
  read: (db: DataSource, keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (db: DataSource, key: string) => Promise<T | undefined> {
  const readerOf = perDatabase((db) =>
    batch<string, T | undefined>(
      async (keys) => {
        const found = await read(db, [...new Set(keys)]);
        return keys.map((key) => found.get(key));
      },
      { runsAtOnce: 2 },
    ),
  );
  return (db, key) => readerOf(db)(key);
}
