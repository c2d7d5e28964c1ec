import type { Context } from "koa";
import { goneSignal } from "./answer-events";
import type { Places } from "./places";
import { whenGone } from "./when-gone";

/** It has a place from before it is read until its reader has it. */
export class LargeAnswer {
  private release: (() => void) | null = null;

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
    }
    return work();
  }

  /** For a request that found nothing and waits. */
  letGo(): void {
    this.release?.();
    this.release = null;
  }
}
