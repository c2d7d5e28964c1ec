interface Asked<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * Does at once what is asked first, and together what is asked for meanwhile, one run after the other: the more there
 * is to do, the less each costs. `work` answers in the order of its items; what it throws meets all of its run.
 * `runsAtOnce`: more than one, where a run that is held up must not hold up all that comes after it. `atMost`: items of a
 * run; what is beyond goes by the next.
 */
export function gather<T, R>(
  work: (items: readonly T[]) => Promise<readonly R[]>,
  { runsAtOnce = 1, atMost = Infinity }: { runsAtOnce?: number; atMost?: number } = {},
): (item: T) => Promise<R> {
  const waiting: Asked<T, R>[] = [];
  let running = 0;

  async function run(): Promise<void> {
    running += 1;
    while (waiting.length > 0) {
      const served = waiting.splice(0, atMost);
      try {
        const results = await work(served.map(({ item }) => item));
        served.forEach(({ resolve }, at) => resolve(results[at] as R));
      } catch (error) {
        for (const { reject } of served) reject(error);
      }
    }
    running -= 1;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (running < runsAtOnce) void run();
    });
}
