/** BIP 32: without the private key an index has 31 bits. A next index of this exhausts the wallet. */
export const ADDRESS_INDEX_MAX = 0x7fff_ffff;

/** Except by the server's operator: wallet software does not search further by itself. */
const START_INDEX_AHEAD = 10_000;

/** `highest` was allocated last; null if none was. */
export function startIndexLimit(highest: number | null): number {
  return Math.min((highest ?? -1) + START_INDEX_AHEAD, ADDRESS_INDEX_MAX);
}
