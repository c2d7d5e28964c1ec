/** Of BIP 32: what is derived without the private key has 31 bits. A wallet whose next index is this one is exhausted. */
export const ADDRESS_INDEX_MAX = 0x7fff_ffff;

/** A next index is raised by so much at most, but by the server's operator: beyond it no wallet looks by itself. */
const START_INDEX_AHEAD = 10_000;

/** The highest index from which a wallet may continue. `highest` was given out last; null when none was. */
export function startIndexLimit(highest: number | null): number {
  return Math.min((highest ?? -1) + START_INDEX_AHEAD, ADDRESS_INDEX_MAX);
}
