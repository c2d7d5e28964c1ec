import type { DataSource } from "typeorm";
import { batch, type BatchOptions } from "./batch";
import { perDatabase } from "./per-database";

/**
 * Simultaneous requests share a statement that begins after the last, and its read-only results. `read` gets one
 * request's context.
 */
export function batchedRead<C extends { db: DataSource }, T>(
  read: (ctx: C, keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
  options: BatchOptions = { runsAtOnce: 2 },
): (ctx: C, key: string) => Promise<T | undefined> {
  const readerOf = perDatabase(() => {
    const waiting = new Map<string, Promise<T | undefined>>();
    const readOne = batch<{ ctx: C; key: string }, T | undefined>(async (asked) => {
      for (const { key } of asked) waiting.delete(key);
      const [first] = asked;
      if (first === undefined) return [];
      const keys = asked.map(({ key }) => key);
      const found = await read(first.ctx, keys);
      return keys.map((key) => found.get(key));
    }, options);
    return (ctx: C, key: string) => {
      const result = waiting.get(key) ?? readOne({ ctx, key });
      waiting.set(key, result);
      return result;
    };
  });
  return (ctx, key) => readerOf(ctx.db)(ctx, key);
}
