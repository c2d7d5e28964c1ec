import type { State } from "./state";

const POLL_MS = 2_500;
const SLOWEST_POLL_MS = 30_000;
const HIDDEN_POLL_MS = 15_000;
/** A connection may die in a phone's sleep. */
const PATIENCE_MS = 20_000;
/** And up to half longer. Some changes are not published (a store's colour), and a hint may be lost. */
const RARELY_MS = 60_000;
/** The time is up: the decision is published, but asked for in any case. */
const CHECKING_MS = 5_000;
/** Whole seconds are left, and the server's clock decides. */
const AFTER_EXPIRY_MS = 1_100;

type Pace = "never" | "rarely" | "often";

export interface Poll {
  /** `rarely`: beside the hints of a stream. */
  keep(pace: Pace): void;
  /** Within this time; during a request again after it. */
  ask(withinMs?: number): void;
}

/** `failed` gets the number of failures in a row. */
export function makePoll(
  url: string,
  { heard, failed }: { heard: (state: State) => void; failed: (times: number) => void },
  patienceMs = PATIENCE_MS,
): Poll {
  let pace: Pace = "never";
  let failures = 0;
  let asking = false;
  let rareMs = RARELY_MS;
  /** By performance.now(), as the pace and as somebody wants it. */
  let dueAt = Infinity;
  let wantedAt = Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function request(): Promise<void> {
    wantedAt = Infinity;
    asking = true;
    try {
      const state = await readState(url, patienceMs);
      failures = 0;
      rareMs = rarePause(state);
      heard(state);
    } catch {
      failures += 1;
      failed(failures);
    }
    asking = false;
    plan();
  }

  /** The next request, a whole pause away unless it is wanted before. */
  function plan(): void {
    const pauseMs = pace === "often" ? oftenPause(failures) : pace === "rarely" ? rareMs : Infinity;
    dueAt = performance.now() + pauseMs;
    arm();
  }

  function arm(): void {
    clearTimeout(timer);
    const at = Math.min(dueAt, wantedAt);
    if (!asking && at < Infinity) timer = setTimeout(() => void request(), at - performance.now());
  }

  return {
    keep(wished) {
      if (wished === pace) return;
      pace = wished;
      plan();
    },
    ask(withinMs = 0) {
      wantedAt = Math.min(wantedAt, performance.now() + Math.random() * withinMs);
      arm();
    },
  };
}

async function readState(url: string, patienceMs: number): Promise<State> {
  const late = new AbortController();
  const patience = setTimeout(() => late.abort(), patienceMs);
  try {
    // ETag: nothing new is next to nothing sent.
    const answer = await fetch(url, { cache: "no-cache", signal: late.signal });
    if (!answer.ok) throw new Error(String(answer.status));
    return (await answer.json()) as State;
  } finally {
    clearTimeout(patience);
  }
}

function oftenPause(failures: number): number {
  const usual = document.hidden ? HIDDEN_POLL_MS : POLL_MS;
  return Math.min(Math.max(SLOWEST_POLL_MS, usual), usual * 2 ** failures);
}

/** Some changes come with time and without a hint. */
function rarePause({ phase, secondsLeft }: State): number {
  const usual = (phase === "checking" ? CHECKING_MS : RARELY_MS) * (1 + Math.random() / 2);
  return secondsLeft === null ? usual : Math.min(usual, secondsLeft * 1_000 + AFTER_EXPIRY_MS);
}
