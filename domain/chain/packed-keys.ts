/** Keys of one length, distinct and in order, one behind the other: one value for a statement in place of thousands. */
export interface PackedKeys {
  length: number;
  count: number;
  bytes: Buffer;
}

/** A key's four bytes and its place in the list together are a number without loss: 32 and 21 bits. */
const PLACES = 2 ** 21;
/** Keys that have room at first. */
const FIRST_ROOM = 64;

/** What is added to it, one behind the other: thousands of keys, and no object for each. */
export class KeyPile {
  readonly #byLength = new Map<number, Unordered>();

  add(bytes: Buffer, from: number, length: number): void {
    let same = this.#byLength.get(length);
    if (same === undefined) this.#byLength.set(length, (same = new Unordered(length)));
    same.add(bytes, from);
  }

  /** One packet for each length, in the order in which an index has them: unsorted ones Postgres sorts itself, which takes longer than to find them. */
  pack(): PackedKeys[] {
    return [...this.#byLength.values()].map((same) => same.inOrder());
  }
}

/** At most so many keys each. */
export function splitPacket({ length, count, bytes }: PackedKeys, most: number): PackedKeys[] {
  const parts: PackedKeys[] = [];
  for (let from = 0; from < count; from += most) {
    const to = Math.min(from + most, count);
    parts.push({ length, count: to - from, bytes: bytes.subarray(from * length, to * length) });
  }
  return parts;
}

/** Keys of one length as they came. */
class Unordered {
  #bytes: Buffer;
  #count = 0;

  constructor(private readonly length: number) {
    this.#bytes = Buffer.allocUnsafe(length * FIRST_ROOM);
  }

  add(bytes: Buffer, from: number): void {
    const { length } = this;
    const at = this.#count * length;
    if (at + length > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 4 * this.#bytes.length);
    const own = this.#bytes;
    for (let byte = 0; byte < length; byte += 1) own[at + byte] = bytes[from + byte] as number;
    this.#count += 1;
  }

  /** By the first four bytes in which they differ at all, as numbers; only keys that have these in common are compared. */
  inOrder(): PackedKeys {
    const { length } = this;
    const numbers = this.#count > PLACES ? null : this.#numbers();
    if (numbers === null) return this.#compared();
    const own = this.#bytes;
    const bytes = Buffer.allocUnsafe(this.#count * length);
    let count = 0;
    let last = -1;
    for (let at = 0; at < numbers.length; at += 1) {
      const number = numbers[at] as number;
      const from = (number % PLACES) * length;
      const first = Math.floor(number / PLACES);
      const to = count * length;
      if (first === last) {
        if (own.compare(bytes, to - length, to, from, from + length) === 0) continue;
        return this.#compared();
      }
      last = first;
      for (let byte = 0; byte < length; byte += 1) bytes[to + byte] = own[from + byte] as number;
      count += 1;
    }
    return { length, count, bytes: bytes.subarray(0, count * length) };
  }

  /** Of each key its four bytes and its place, in order. */
  #numbers(): Float64Array {
    const { length } = this;
    const own = this.#bytes;
    const from = this.#commonHead();
    const width = Math.min(4, length - from);
    const numbers = new Float64Array(this.#count);
    for (let at = 0; at < numbers.length; at += 1) {
      let begin = 0;
      for (let byte = 0; byte < width; byte += 1)
        begin = begin * 256 + (own[at * length + from + byte] as number);
      numbers[at] = begin * PLACES + at;
    }
    return numbers.sort();
  }

  /** How many bytes all of them begin with. */
  #commonHead(): number {
    const own = this.#bytes;
    let common = this.length;
    for (let from = 0; from < this.#count * this.length; from += this.length)
      for (let byte = 0; byte < common; byte += 1) if (own[from + byte] !== own[byte]) common = byte;
    return common;
  }

  #compared(): PackedKeys {
    const { length } = this;
    const keys = Array.from({ length: this.#count }, (_, at) =>
      this.#bytes.subarray(at * length, (at + 1) * length),
    ).sort(Buffer.compare);
    const distinct = keys.filter((key, at) => at === 0 || !key.equals(keys[at - 1] as Buffer));
    return { length, count: distinct.length, bytes: Buffer.concat(distinct) };
  }
}
