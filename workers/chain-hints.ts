/** Raw transactions that may wait; beyond it they are dropped, and a look at the whole mempool finds them. */
const WAITING_MAX = 20_000;
const WAITING_BYTES_MAX = 64 * 1024 * 1024;

/**
 * What ZMQ told, until the loop has time for it. It only wakes: whatever is lost here, the next complete check finds.
 */
export class ChainHints {
  #rawTxs: Buffer[] = [];
  #bytes = 0;
  #check = false;
  #wake: (() => void) | null = null;

  transaction(raw: Buffer): void {
    if (this.#rawTxs.length < WAITING_MAX && this.#bytes + raw.length <= WAITING_BYTES_MAX) {
      this.#rawTxs.push(raw);
      this.#bytes += raw.length;
    } else this.#check = true;
    this.#wake?.();
  }

  /** Something happened that only a complete check can tell. */
  check(): void {
    this.#check = true;
    this.#wake?.();
  }

  takeTransactions(): Buffer[] {
    const taken = this.#rawTxs;
    this.#rawTxs = [];
    this.#bytes = 0;
    return taken;
  }

  takeCheck(): boolean {
    const taken = this.#check;
    this.#check = false;
    return taken;
  }

  /** Resolves at the next hint, after `ms`, or when `signal` is aborted: whatever comes first. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#rawTxs.length > 0 || this.#check || signal.aborted || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        this.#wake = null;
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", done);
      this.#wake = done;
    });
  }
}
