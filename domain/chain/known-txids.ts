/** Hexadecimal digits of a txid that a double holds without loss. */
const DIGITS = 13;

/**
 * The transactions of a mempool that were looked at, in 8 bytes each (a set of strings takes 20 times that). Two
 * txids that share 52 bits are taken for one: for a mempool of 300,000 that happens to one new transaction in 10^10,
 * which its block then tells.
 */
export class KnownTxids {
  #known = new Float64Array(0);
  readonly #noted = new Set<number>();
  readonly #forgotten = new Set<number>();

  /** Those that have to be looked at. What is noted or forgotten from now on is so for the next call. */
  takeUnknown(txids: readonly string[]): string[] {
    const unknown = txids.filter((txid) => !this.#has(txid));
    this.#noted.clear();
    this.#forgotten.clear();
    return unknown;
  }

  /** What was looked at is all of `txids` but `except`. */
  replace(txids: readonly string[], except: ReadonlySet<string>): void {
    const kept = except.size === 0 ? txids : txids.filter((txid) => !except.has(txid));
    this.#known = Float64Array.from(kept, keyOf).sort();
  }

  /** These were looked at without having been listed. */
  note(txids: readonly string[]): void {
    for (const txid of txids) {
      this.#noted.add(keyOf(txid));
      this.#forgotten.delete(keyOf(txid));
    }
  }

  /** These have to be looked at again. */
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
