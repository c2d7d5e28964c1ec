/** Hexadecimal digits of a txid that a double holds without loss. */
const DIGITS = 13;

/**
 * The transactions of a mempool that were read, in 32 bytes each (a set of strings takes 20 times that). Two txids
 * that share 52 bits count as one: with a mempool of 300,000 that happens to one new transaction in 10^10, which is
 * then found in its block.
 */
export class KnownTxids {
  #known = new Float64Array(0);
  /** When each of them was listed first, in milliseconds. */
  #since = new Float64Array(0);
  /** From the list before: a block may have come between two lists, and is read after the second. */
  #before: { known: Float64Array; since: Float64Array } = { known: this.#known, since: this.#since };
  #listedAt: Date | null = null;
  readonly #noted = new Set<number>();
  readonly #forgotten = new Set<number>();

  /** Returns those to be read. Later additions and removals apply to the next call. */
  takeUnknown(txids: readonly string[]): string[] {
    const unknown = txids.filter((txid) => !this.#has(txid));
    this.#noted.clear();
    this.#forgotten.clear();
    return unknown;
  }

  /** Marks all of `txids` except `except` as read. `listedAt`: the database's clock when they were listed. */
  replace(txids: readonly string[], except: ReadonlySet<string>, listedAt: Date): void {
    const kept = except.size === 0 ? txids : txids.filter((txid) => !except.has(txid));
    const before = { known: this.#known, since: this.#since };
    this.#known = Float64Array.from(kept, keyOf).sort();
    this.#since = this.#known.map((key) => sinceOf(before, key) ?? listedAt.getTime());
    this.#before = before;
    this.#listedAt = listedAt;
  }

  /** When a transaction of the last lists was listed first; null for others. */
  listedAt(txid: string): Date | null {
    const key = keyOf(txid);
    const since = sinceOf({ known: this.#known, since: this.#since }, key) ?? sinceOf(this.#before, key);
    return since === null ? null : new Date(since);
  }

  /** When the mempool was listed last without a transaction; null if it was in that list, or there was none. */
  absentAt(txid: string): Date | null {
    return indexOf(this.#known, keyOf(txid)) === null ? this.#listedAt : null;
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
    return !this.#forgotten.has(key) && (this.#noted.has(key) || indexOf(this.#known, key) !== null);
  }
}

function keyOf(txid: string): number {
  return Number.parseInt(txid.slice(0, DIGITS), 16);
}

function sinceOf(list: { known: Float64Array; since: Float64Array }, key: number): number | null {
  const at = indexOf(list.known, key);
  return at === null ? null : (list.since[at] as number);
}

function indexOf(sorted: Float64Array, key: number): number | null {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < key) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === key ? low : null;
}
