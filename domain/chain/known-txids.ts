/** Hexadecimal digits of a txid that a double holds without loss. */
const DIGITS = 13;

/**
 * The transactions of a mempool that were read, in 8 bytes each (a set of strings takes 20 times that). Two txids
 * that share 52 bits count as one: with a mempool of 300,000 that happens to one new transaction in 10^10, which is
 * then found in its block.
 */
export class KnownTxids {
  #known = new Float64Array(0);
  readonly #noted = new Set<number>();
  readonly #forgotten = new Set<number>();

  /** Returns those to be read. Later additions and removals apply to the next call. */
  takeUnknown(txids: readonly string[]): string[] {
    const unknown = txids.filter((txid) => !this.#has(txid));
    this.#noted.clear();
    this.#forgotten.clear();
    return unknown;
  }

  /** Marks all of `txids` except `except` as read. */
  replace(txids: readonly string[], except: ReadonlySet<string>): void {
    const kept = except.size === 0 ? txids : txids.filter((txid) => !except.has(txid));
    this.#known = Float64Array.from(kept, keyOf).sort();
  }

  /** Marks transactions as read that were not listed. */
  note(txids: readonly string[]): void {
    for (const txid of txids) {
      this.#noted.add(keyOf(txid));
      this.#forgotten.delete(keyOf(txid));
    }
  }

  /** Marks transactions to be read again. */
  forget(txids: readonly string[]): void {
    for (const txid of txids) this.#forgotten.add(keyOf(txid));
  }

  #has(txid: string): boolean {
    const key = keyOf(txid);
    return !this.#forgotten.has(key) && (this.#noted.has(key) || includes(this.#known, key));
  }
}

function keyOf(txid: string): number {
  return Number.parseInt(txid.slice(0, DIGITS), 16);
}

function includes(sorted: Float64Array, key: number): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < key) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === key;
}
