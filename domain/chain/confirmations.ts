/** Confirmations of a transaction in the block at `blockHeight`; 0 in no block, or in one above the tip. */
export function confirmationsAt(blockHeight: number | null, tipHeight: number): number {
  return blockHeight === null ? 0 : Math.max(0, tipHeight - blockHeight + 1);
}
