import type { State } from "./state";

const POLL_MS = 2_500;
const SLOWEST_POLL_MS = 30_000;
const HIDDEN_POLL_MS = 15_000;
/** A connection may die in a phone's sleep. */
const PATIENCE_MS = 20_000;

export interface Poll {
  start(): void;
  /** Also an earlier request. */
  stop(): void;
  ask(): void;
}

/** `failed` gets the number of failures in a row. */
export function makePoll(
  url: string,
  { heard, failed }: { heard: (state: State) => void; failed: (times: number) => void },
  patienceMs = PATIENCE_MS,
): Poll {
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking = false;
  let started = false;
  let stops = 0;

  async function ask(): Promise<void> {
    if (asking) return;
    asking = true;
    clearTimeout(timer);
    const before = stops;
    const late = new AbortController();
    const patience = setTimeout(() => late.abort(), patienceMs);
    try {
      // ETag: nothing new is next to nothing sent.
      const answer = await fetch(url, { cache: "no-cache", signal: late.signal });
      if (!answer.ok) throw new Error(String(answer.status));
      const state = (await answer.json()) as State;
      failures = 0;
      if (stops === before) heard(state);
    } catch {
      failures += 1;
      failed(failures);
    }
    clearTimeout(patience);
    asking = false;
    askLater();
  }

  function askLater(): void {
    clearTimeout(timer);
    if (!started || asking) return;
    const usual = document.hidden ? HIDDEN_POLL_MS : POLL_MS;
    const pause = Math.min(Math.max(SLOWEST_POLL_MS, usual), usual * 2 ** failures);
    timer = setTimeout(() => void ask(), pause);
  }

  return {
    start() {
      started = true;
      askLater();
    },
    stop() {
      started = false;
      stops += 1;
      failures = 0;
      clearTimeout(timer);
    },
    ask: () => void ask(),
  };
}
