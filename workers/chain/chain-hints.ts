/** Raw transactions that may wait; more are dropped, and a scan of the whole mempool finds them. */
const WAITING_MAX = 20_000;
const WAITING_BYTES_MAX = 64 * 1024 * 1024;

/**
 * ZMQ's messages, until the loops have time for them. They are hints only: whatever is lost here, the next complete
 * check finds.
 */
export class ChainHints {
  #rawTxs: Buffer[] = [];
  #bytes = 0;
  #check = false;
  #missed = false;
  readonly #news = new Bell();
  readonly #checks = new Bell();

  transaction(raw: Buffer): void {
    if (this.#rawTxs.length >= WAITING_MAX || this.#bytes + raw.length > WAITING_BYTES_MAX)
      return this.miss();
    this.#rawTxs.push(raw);
    this.#bytes += raw.length;
    this.#news.ring();
  }

  /** Something was not received, or dropped: a complete check finds it. */
  miss(): void {
    this.#missed = true;
    this.check();
  }

  /** Requests a complete check. */
  check(): void {
    this.#check = true;
    this.#checks.ring();
  }

  takeTransactions(): Buffer[] {
    const taken = this.#rawTxs;
    this.#rawTxs = [];
    this.#bytes = 0;
    return taken;
  }

  /** Whether something was missed since this was asked last. */
  takeMissed(): boolean {
    const taken = this.#missed;
    this.#missed = false;
    return taken;
  }

  takeCheck(): boolean {
    const taken = this.#check;
    this.#check = false;
    return taken;
  }

  /** Resolves when there are transactions to take, or when `signal` is aborted. */
  async waitForTransactions(signal: AbortSignal): Promise<void> {
    if (this.#rawTxs.length === 0) await this.#news.heard(signal);
  }

  /** Resolves when a check is requested, after `ms`, or when `signal` is aborted: whichever comes first. */
  async waitForCheck(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#check && ms > 0) await this.#checks.heard(signal, ms);
  }
}

/** Wakes the reader. */
class Bell {
  #wake: (() => void) | null = null;

  ring(): void {
    this.#wake?.();
  }

  async heard(signal: AbortSignal, withinMs?: number): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        this.#wake = null;
        resolve();
      };
      const timer = withinMs === undefined ? undefined : setTimeout(done, withinMs);
      signal.addEventListener("abort", done);
      this.#wake = done;
    });
  }
}
