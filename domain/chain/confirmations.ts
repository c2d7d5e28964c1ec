/** Blocks that a coinbase output needs before it can be spent (consensus). */
const COINBASE_MATURITY = 100;

/** Confirmations of a transaction in the block at `blockHeight`; 0 in no block, or in one above the tip. */
export function confirmationsAt(blockHeight: number | null, tipHeight: number): number {
  return blockHeight === null ? 0 : Math.max(0, tipHeight - blockHeight + 1);
}

/** The highest block whose transactions have `confirmations` at this tip. */
export function heightWithConfirmations(confirmations: number, tipHeight: number): number {
  return tipHeight - confirmations + 1;
}

/** What a payment needs where its invoice asks for `required`: a coinbase at least its maturity. */
export function confirmationsNeeded(required: number, tx: { coinbase: boolean }): number {
  return tx.coinbase ? Math.max(required, COINBASE_MATURITY) : required;
}
