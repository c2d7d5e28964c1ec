interface Asked<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * Does at once what is asked first, and together what is asked for meanwhile, one run after the other: the more there
 * is to do, the less each costs. `work` answers in the order of its items; what it throws meets all of its run.
 */
export function gather<T, R>(work: (items: readonly T[]) => Promise<readonly R[]>): (item: T) => Promise<R> {
  let waiting: Asked<T, R>[] = [];
  let running = false;

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const served = waiting;
      waiting = [];
      try {
        const results = await work(served.map(({ item }) => item));
        served.forEach(({ resolve }, at) => resolve(results[at] as R));
      } catch (error) {
        for (const { reject } of served) reject(error);
      }
    }
    running = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!running) void run();
    });
}
