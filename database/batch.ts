import type { DataSource } from "typeorm";

/** Tests use many. */
export function perDatabase<T>(make: (db: DataSource) => T): (db: DataSource) => T {
  const made = new WeakMap<DataSource, T>();
  return (db) => {
    const known = made.get(db) ?? make(db);
    made.set(db, known);
    return known;
  };
}

interface Pending<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

export interface BatchOptions {
  /** With two, a run that hangs on a dead connection does not delay the others. */
  runsAtOnce?: number;
  atMost?: number;
}

/**
 * Batches what is requested in a tick, or while all runs are busy. `work` returns results in the order of its items;
 * its error fails its run.
 */
export function batch<T, R>(
  work: (items: readonly T[]) => Promise<readonly R[]>,
  { runsAtOnce = 1, atMost = Infinity }: BatchOptions = {},
): (item: T) => Promise<R> {
  const waiting: Pending<T, R>[] = [];
  let running = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || waiting.length === 0 || running >= runsAtOnce) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      void run();
    });
  }

  async function run(): Promise<void> {
    const served = waiting.splice(0, atMost);
    running += 1;
    schedule();
    try {
      const results = await work(served.map(({ item }) => item));
      served.forEach(({ resolve }, at) => resolve(results[at] as R));
    } catch (error) {
      for (const { reject } of served) reject(error);
    }
    running -= 1;
    schedule();
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
}

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
