import type { FeedWaiter } from "../../commands/webhooks/read-feed";
import { feedsWithEvents } from "../../commands/webhooks/read-feed";
import type { CommandContext } from "../../commands/context";
import type { Log } from "../../commands/ports";

/** Without waiting readers nothing is queried. */
const TICK_MS = 250;

interface Waiting extends FeedWaiter {
  wake: () => void;
}

interface Parts {
  context: () => CommandContext | null;
  log: Log;
  stopping: AbortSignal;
}

/** A query serves all requests that wait in this process. */
export interface FeedWatch {
  /** Ends when there may be something to read, after `waitMs`, when the caller has gone, or when the process stops. */
  untilEvents(waiter: FeedWaiter, waitMs: number, gone: AbortSignal): Promise<void>;
}

export function makeFeedWatch({ context, log, stopping }: Parts): FeedWatch {
  const waiting = new Set<Waiting>();
  let ticking = false;

  async function tick(): Promise<void> {
    const ctx = context();
    const asked = [...waiting];
    try {
      if (ctx !== null) for (const index of await feedsWithEvents(ctx, asked)) asked[index]?.wake();
    } catch (error) {
      // Waiting readers read once more at the end, and get an error there.
      log.debug({ err: error }, "events: feed poll failed");
    }
  }

  async function tickWhileNeeded(): Promise<void> {
    if (ticking) return;
    ticking = true;
    while (waiting.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
      if (waiting.size > 0) await tick();
    }
    ticking = false;
  }

  stopping.addEventListener("abort", () => {
    for (const { wake } of waiting) wake();
  });

  return {
    async untilEvents({ storeId, after }, waitMs, gone) {
      if (stopping.aborted || gone.aborted) return;
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          gone.removeEventListener("abort", wake);
          waiting.delete(entry);
          resolve();
        };
        const entry: Waiting = { storeId, after, wake };
        const timer = setTimeout(wake, waitMs);
        gone.addEventListener("abort", wake);
        waiting.add(entry);
        void tickWhileNeeded();
      });
    },
  };
}
