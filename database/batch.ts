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
