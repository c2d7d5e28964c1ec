/**
 * The limit of BIP 32: indexes that are derived without the private key have 31 bits. A wallet whose next index is
 * this one is exhausted.
 */
export const ADDRESS_INDEX_MAX = 0x7fff_ffff;

/**
 * A next index may be raised by this much at most, except by the server's operator: wallet software does not search
 * further by itself.
 */
const START_INDEX_AHEAD = 10_000;

/** The highest index at which a wallet may continue. `highest` was allocated last; null if none was. */
export function startIndexLimit(highest: number | null): number {
  return Math.min((highest ?? -1) + START_INDEX_AHEAD, ADDRESS_INDEX_MAX);
}
