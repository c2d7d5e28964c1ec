/** Raw transactions that may wait; beyond it they are dropped, and a look at the whole mempool finds them. */
const WAITING_MAX = 20_000;

/**
 * What ZMQ told, until the loop has time for it. It only wakes: whatever is lost here, the next complete check finds.
 */
export class ChainHints {
  #rawTxs: Buffer[] = [];
  #check = false;
  #wake: (() => void) | null = null;

  transaction(raw: Buffer): void {
    if (this.#rawTxs.length < WAITING_MAX) this.#rawTxs.push(raw);
    else this.#check = true;
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
