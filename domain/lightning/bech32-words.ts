/** Most significant bit first. Bits left over are dropped, or with `pad` filled up with zeros. */
function regroup(values: ArrayLike<number>, from: number, to: number, pad: boolean): number[] {
  const out: number[] = [];
  let bits = 0;
  let held = 0;
  for (let i = 0; i < values.length; i += 1) {
    held = (held << from) | (values[i] ?? 0);
    for (bits += from; bits >= to;) {
      bits -= to;
      out.push(held >> bits);
      held &= (1 << bits) - 1;
    }
  }
  if (pad && bits > 0) out.push(held << (to - bits));
  return out;
}

/** BOLT 11 fills its fields up to a whole word: the bits left over say nothing. */
export function wordsToBytes(words: readonly number[]): Buffer {
  return Buffer.from(regroup(words, 5, 8, false));
}

/** The remaining bits in a last byte: a BOLT 11 signature covers them. */
export function wordsToPaddedBytes(words: readonly number[]): Buffer {
  return Buffer.from(regroup(words, 5, 8, true));
}

export function bytesToWords(bytes: Uint8Array): number[] {
  return regroup(bytes, 8, 5, true);
}

/** Big-endian. */
export function wordsToInteger(words: readonly number[]): bigint {
  return words.reduce((sum, word) => sum * 32n + BigInt(word), 0n);
}

/** Big-endian, in the given number of words, or in as few as it takes. */
export function integerToWords(value: bigint, length = 1): number[] {
  const words: number[] = [];
  for (let rest = value; rest > 0n || words.length < length; rest /= 32n) words.unshift(Number(rest % 32n));
  return words;
}
