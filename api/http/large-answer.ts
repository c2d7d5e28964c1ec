import type { Context } from "koa";
import { goneSignal, whenGone } from "../live/answer-events";
import type { Places } from "./places";

type Exchange = Pick<Context, "req" | "res">;

const LONGEST_MS = 60_000;

/**
 * Takes a place until the response has been read, or has taken too long: a reader that takes little by little is not
 * silent, and would keep it for hours. Returns what gives the place back before.
 * @throws DomainError `rate-limited`, `unavailable`.
 */
export async function holdWhileRead(
  places: Places,
  who: string,
  koa: Exchange,
  longestMs: number,
): Promise<() => void> {
  const gone = goneSignal(koa);
  const giveBack = await places.take(who, gone);
  const late = setTimeout(() => koa.res.destroy(), longestMs).unref();
  const end = (): void => {
    clearTimeout(late);
    giveBack();
  };
  whenGone(gone, end);
  return end;
}

/** It has a place from before it is read until its reader has it. */
export class LargeAnswer {
  private release: (() => void) | null = null;

  constructor(
    private readonly places: Places,
    private readonly who: string,
    private readonly koa: Exchange,
  ) {}

  /** @throws DomainError `rate-limited`, `unavailable`. */
  async read<T>(work: () => Promise<T>): Promise<T> {
    this.release ??= await holdWhileRead(this.places, this.who, this.koa, LONGEST_MS);
    return work();
  }

  /** For a request that found nothing and waits. */
  letGo(): void {
    this.release?.();
    this.release = null;
  }
}
