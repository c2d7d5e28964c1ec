import type { ChangeWatch } from "./change-watch";

/** A notification may be lost. */
const LOOK_ANYWAY_MS = 5_000;

interface Parts {
  changes: Pick<ChangeWatch, "watch">;
  stopping: AbortSignal;
}

interface Wait {
  storeId: string;
  waitMs: number;
  gone: AbortSignal;
}

/**
 * Reads at once, at each change of the store's invoices, and every few seconds, until there is something, the time is
 * up, the caller has gone, or the process stops.
 */
export type ReadUntilFound = <T>(wait: Wait, read: () => Promise<readonly T[]>) => Promise<readonly T[]>;

export function makeReadUntilFound({ changes, stopping }: Parts): ReadUntilFound {
  return async ({ storeId, waitMs, gone }, read) => {
    let wake = (): void => undefined;
    let woken = false;
    let over = waitMs === 0 || stopping.aborted;
    const again = (): void => {
      woken = true;
      wake();
    };
    const end = (): void => {
      over = true;
      again();
    };
    const timer = setTimeout(end, waitMs);
    const looks = setInterval(again, LOOK_ANYWAY_MS);
    const signals = [gone, stopping];
    for (const signal of signals) signal.addEventListener("abort", end);
    // Before the first read: a change between the two is not missed.
    const changed = ({ topic }: { topic: string }): void => void (topic === "invoices" && again());
    const unwatch = over ? null : changes.watch(storeId, { changed, missed: again });
    try {
      for (;;) {
        woken = false;
        const found = gone.aborted ? [] : await read();
        if (found.length > 0 || over || gone.aborted) return found;
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (woken) resolve();
        });
      }
    } finally {
      unwatch?.();
      clearTimeout(timer);
      clearInterval(looks);
      for (const signal of signals) signal.removeEventListener("abort", end);
    }
  };
}
