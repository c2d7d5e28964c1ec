/** Keys of one length, distinct and in order, one behind the other: one value for a statement in place of thousands. */
export interface PackedKeys {
  length: number;
  count: number;
  bytes: Buffer;
}

/** A key's four bytes and its place in the list together are a number without loss: 32 and 21 bits. */
const PLACES = 2 ** 21;

/** One packet for each length, in the order in which an index has them: unsorted ones Postgres sorts itself, which takes longer than to find them. */
export function packKeys(keys: readonly Buffer[]): PackedKeys[] {
  const byLength = new Map<number, Buffer[]>();
  for (const key of keys) {
    const same = byLength.get(key.length);
    if (same === undefined) byLength.set(key.length, [key]);
    else same.push(key);
  }
  return [...byLength].map(([length, same]) => {
    const distinct = inOrder(same, length);
    const bytes = Buffer.allocUnsafe(distinct.length * length);
    distinct.forEach((key, at) => bytes.set(key, at * length));
    return { length, count: distinct.length, bytes };
  });
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

/** By the first four bytes in which they differ at all, as numbers; only keys that have these in common are compared. */
function inOrder(keys: readonly Buffer[], length: number): readonly Buffer[] {
  if (keys.length > PLACES) return distinctOf([...keys].sort(Buffer.compare));
  const from = commonHead(keys, length);
  const width = Math.min(4, length - from);
  const numbers = new Float64Array(keys.length);
  keys.forEach((key, at) => {
    numbers[at] = (width === 0 ? 0 : key.readUIntBE(from, width)) * PLACES + at;
  });
  numbers.sort();
  const ordered: Buffer[] = [];
  let last = -1;
  let sorted = true;
  for (const number of numbers) {
    const key = keys[number % PLACES] as Buffer;
    const first = Math.floor(number / PLACES);
    if (first === last) {
      if (key.equals(ordered.at(-1) as Buffer)) continue;
      sorted = false;
    }
    last = first;
    ordered.push(key);
  }
  return sorted ? ordered : distinctOf(ordered.sort(Buffer.compare));
}

/** How many bytes all of them begin with. */
function commonHead(keys: readonly Buffer[], length: number): number {
  const [first] = keys;
  let common = length;
  for (const key of keys) for (let at = 0; at < common; at += 1) if (key[at] !== first?.[at]) common = at;
  return common;
}

function distinctOf(ordered: readonly Buffer[]): readonly Buffer[] {
  return ordered.filter((key, at) => at === 0 || !key.equals(ordered[at - 1] as Buffer));
}
