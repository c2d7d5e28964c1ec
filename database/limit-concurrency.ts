/** `gone`: waiting work is dropped. */
export type InTurn = <T>(work: () => Promise<T>, gone?: AbortSignal) => Promise<T>;

export class NoTurnError extends Error {
  override readonly name = "NoTurnError";
  constructor(readonly reason: "too-many-wait" | "gone") {
    super(
      reason === "gone"
        ? "the work was cancelled while it was queued"
        : "the queue of the concurrency limit is full",
    );
  }
}

/** In the order of requests. @throws NoTurnError if `waitingMax` wait already, and for a caller that has gone. */
export function limitConcurrency(limit: number, { waitingMax = Infinity } = {}): InTurn {
  let running = 0;
  const waiting = new Set<() => void>();

  async function turn(gone: AbortSignal | undefined): Promise<void> {
    if (gone?.aborted === true) throw new NoTurnError("gone");
    if (running < limit) {
      running += 1;
      return;
    }
    if (waiting.size >= waitingMax) throw new NoTurnError("too-many-wait");
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        gone?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        waiting.delete(begin);
        reject(new NoTurnError("gone"));
      };
      gone?.addEventListener("abort", leave, { once: true });
      waiting.add(begin);
    });
  }

  return async (work, gone) => {
    await turn(gone);
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next === undefined) running -= 1;
      else {
        waiting.delete(next);
        next(); // it takes over this one's place
      }
    }
  };
}
