/** Something on the way holds the stream back. */
const FIRST_WORD_MS = 10_000;
/** Above two heartbeats: lost without a close. */
const SILENCE_MS = 45_000;
const AGAIN_MS = 30_000;
const LONGEST_AGAIN_MS = 300_000;

export interface Stream {
  /** Unless open, or missing in the browser. */
  open(): void;
  close(): void;
  /** Not reliable now; opened again after a while. */
  lose(): void;
}

/** To read the state again; `opened`: what changed before was not heard. */
const HINTS = ["changed", "block", "missed"] as const;
export type Hint = "opened" | (typeof HINTS)[number];

/** `reliable`: the server has proven that hints come; otherwise the page has to poll. */
export function makeStream(
  url: string,
  { hint, reliable }: { hint: (hint: Hint) => void; reliable: (is: boolean) => void },
): Stream {
  let source: EventSource | null = null;
  let errors = 0;
  let againMs = AGAIN_MS;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;

  function waitFor(milliseconds: number): void {
    clearTimeout(silence);
    silence = setTimeout(lose, milliseconds);
  }

  function word(): void {
    errors = 0;
    againMs = AGAIN_MS;
    waitFor(SILENCE_MS);
    reliable(true);
  }

  function open(): void {
    clearTimeout(again);
    if (source !== null || !("EventSource" in window)) return;
    errors = 0;
    source = new EventSource(url);
    waitFor(FIRST_WORD_MS);
    source.addEventListener("open", () => hint("opened"));
    source.addEventListener("alive", word);
    for (const name of HINTS)
      source.addEventListener(name, () => {
        word();
        hint(name);
      });
    source.addEventListener("error", () => {
      errors += 1;
      reliable(false);
      // Otherwise the browser reconnects.
      if (errors > 1 || source?.readyState === EventSource.CLOSED) lose();
    });
  }

  function close(): void {
    clearTimeout(silence);
    clearTimeout(again);
    source?.close();
    source = null;
    reliable(false);
  }

  function lose(): void {
    if (source === null) return;
    close();
    again = setTimeout(open, againMs);
    againMs = Math.min(againMs * 2, LONGEST_AGAIN_MS);
  }

  return { open, close, lose };
}
