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

  function beginAnother(): void {
    if (waiting.length === 0 || beginning !== null || running >= runsAtOnce) return;
    const next = {};
    beginning = next;
    begin(() => {
      if (beginning === next) void run();
    }, running);
  }

  async function run(): Promise<void> {
    const beside = running > 0;
    running += 1;
    do {
      const served = waiting.splice(0, atMost);
      // What was to begin beside the work before this one was for those who are served now.
      beginning = null;
      beginAnother();
      try {
        const results = await work(served.map(({ item }) => item));
        served.forEach(({ resolve }, at) => resolve(results[at] as R));
      } catch (error) {
        for (const { reject } of served) reject(error);
      }
      // One beside another ends: whoever comes goes together again, unless that one is still held up.
    } while (waiting.length > 0 && !(beside && running > 1));
    running -= 1;
    if (running === 0) beginning = null;
    beginAnother();
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      beginAnother();
    });
}
