interface Asked<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/** How runs of a gatherer begin. */
export interface Pace {
  /** Runs at a time: more than one, where a run that is held up must not hold up all that comes after it. */
  runsAtOnce?: number;
  /** Items of a run; what is beyond goes by the next. */
  atMost?: number;
  /** When a run begins: at once, unless this calls it later. Throws nothing. `beside`: how many are under way. */
  begin?: (run: () => void, beside: number) => void;
}

/**
 * Does what is asked first, and together what is asked for meanwhile, one run after the other: the more there is to do,
 * the less each costs. `work` answers in the order of its items; what it throws meets all of its run.
 */
export function gather<T, R>(
  work: (items: readonly T[]) => Promise<readonly R[]>,
  { runsAtOnce = 1, atMost = Infinity, begin = (run) => run() }: Pace = {},
): (item: T) => Promise<R> {
  const waiting: Asked<T, R>[] = [];
  let running = 0;
  let beginning: object | null = null;

  async function run(): Promise<void> {
    beginning = null;
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
    // Nothing waits: a run that was to begin beside this one would only hold up who comes next.
    if (running === 0) beginning = null;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (beginning !== null || running >= runsAtOnce) return;
      const next = {};
      beginning = next;
      begin(() => {
        if (beginning === next) void run();
      }, running);
    });
}
