/** Chance that is the same in each run of a seed (mulberry32). */
export class Chance {
  constructor(private state: number) {}

  /** As one of this seed from its beginning. */
  restart(seed: number): void {
    this.state = seed;
  }

  /** Below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Below the count. */
  pick(count: number): number {
    return Math.floor(this.next() * count);
  }

  of<T>(items: readonly T[]): T {
    const item = items[this.pick(items.length)];
    if (item === undefined) throw new Error("there is nothing to choose from");
    return item;
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }
}

/** The seed of a part of what another seed decides: it stays the same whatever happens in other parts. */
export function seedOf(seed: number, part: string, at: number): number {
  let mixed = seed;
  for (const character of `${part} ${at}`) mixed = Math.imul(mixed ^ character.charCodeAt(0), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
