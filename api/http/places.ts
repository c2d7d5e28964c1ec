import type { Context } from "koa";
import { DomainError } from "../../domain/errors";
import { goneSignal, whenGone } from "../live/answer-events";

/** How many requests of one caller may wait. */
const WAITING_MAX = 100;

interface PlacesOptions {
  /** Named in the refusal. */
  of: string;
  total: number;
  /** How many one caller (a store or a user) may have at a time. */
  ofOne: number;
  /** How long a caller waits before it is refused. */
  waitMs: number;
}

interface Waiting {
  who: string;
  begin(): void;
}

/** A process's concurrency limit for expensive requests, in all and for each caller. Further ones wait in turn. */
export class Places {
  private readonly held = new Set<{ who: string }>();
  private readonly waiting = new Set<Waiting>();

  constructor(private readonly options: PlacesOptions) {}

  /**
   * Returns what gives the place back; harmless to repeat.
   * @throws DomainError `rate-limited` if the caller itself has used its share, `unavailable` if all together have
   * used everything.
   */
  async take(who: string, gone: AbortSignal): Promise<() => void> {
    if (this.fits(who)) return this.hold(who);
    if (gone.aborted || countOf(this.waiting, who) >= WAITING_MAX) throw this.refusal(who);
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        this.waiting.delete(entry);
        resolve(this.hold(who));
      };
      const leave = (): void => {
        clearTimeout(timer);
        if (this.waiting.delete(entry)) reject(this.refusal(who));
      };
      const entry = { who, begin };
      const timer = setTimeout(leave, this.options.waitMs);
      whenGone(gone, leave);
      this.waiting.add(entry);
    });
  }

  private fits(who: string): boolean {
    return this.held.size < this.options.total && countOf(this.held, who) < this.options.ofOne;
  }

  private hold(who: string): () => void {
    const place = { who };
    this.held.add(place);
    return () => {
      if (!this.held.delete(place)) return;
      for (const next of this.waiting) if (this.fits(next.who)) return next.begin();
    };
  }

  private refusal(who: string): DomainError {
    const { of, ofOne } = this.options;
    return countOf(this.held, who) >= ofOne
      ? new DomainError(
          "rate-limited",
          `Too many ${of} at once. Wait for the requests in progress to finish.`,
        )
      : new DomainError("unavailable", `Too many ${of} in progress. Try again in a moment.`);
  }
}

function countOf(all: Iterable<{ who: string }>, who: string): number {
  let count = 0;
  for (const one of all) if (one.who === who) count += 1;
  return count;
}

/**
 * Takes a place until the response has been read, or has taken too long: a reader that takes little by little is not
 * silent, and would keep it for hours. Returns what gives the place back before.
 * @throws DomainError `rate-limited`, `unavailable`.
 */
export async function holdWhileRead(
  places: Places,
  who: string,
  koa: Pick<Context, "req" | "res">,
  longestMs: number,
): Promise<() => void> {
  const gone = goneSignal(koa);
  const giveBack = await places.take(who, gone);
  const late = setTimeout(() => koa.res.destroy(), longestMs).unref();
  const end = (): void => {
    clearTimeout(late);
    gone.removeEventListener("abort", end);
    giveBack();
  };
  whenGone(gone, end);
  return end;
}
