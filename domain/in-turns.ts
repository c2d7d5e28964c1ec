export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs at most `limit` works at a time; the others wait, and come in the order in which they asked. */
export function inTurns(limit: number): InTurn {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next(); // takes over our place
    }
  };
}
