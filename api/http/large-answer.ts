import type { Context } from "koa";
import { goneSignal } from "./answer-events";
import type { Places } from "./places";
import { closeAfter, whenGone } from "./when-gone";

const LONGEST_MS = 60_000;

/** It has a place from before it is read until its reader has it. */
export class LargeAnswer {
  private release: (() => void) | null = null;
  private stopClosing: (() => void) | null = null;

  constructor(
    private readonly places: Places,
    private readonly who: string,
    private readonly koa: Pick<Context, "req" | "res">,
  ) {}

  /** @throws DomainError `rate-limited`, `unavailable`. */
  async read<T>(work: () => Promise<T>): Promise<T> {
    if (this.release === null) {
      const gone = goneSignal(this.koa);
      this.release = await this.places.take(this.who, gone);
      whenGone(gone, this.release);
      this.stopClosing = closeAfter(LONGEST_MS, this.koa.res, gone);
    }
    return work();
  }

  /** For a request that found nothing and waits. */
  letGo(): void {
    this.stopClosing?.();
    this.release?.();
    this.release = null;
  }
}
