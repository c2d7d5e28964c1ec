export interface SettlePosition {
  /** All below it were read. */
  settleIndex: bigint;
  /** A later index was seen while the next one is missing. */
  gapSince: Date | null;
}

/** Then no invoice has it: AMP sets take indexes too. */
export const HOLE_PATIENCE_MS = 10 * 60_000;

/**
 * LND's settle indexes grow by one, but a backlog may come out of order: the position moves over a contiguous
 * range. `ahead`: read since the subscription began.
 */
export function afterSettled(
  position: SettlePosition | null,
  index: bigint,
  ahead: ReadonlySet<bigint>,
  now: Date,
): SettlePosition {
  const from = position ?? { settleIndex: index - 1n, gapSince: null };
  return advance(from, new Set([...ahead, index]), now);
}

/**
 * Skips an index that is missing for long, once all open invoices have been looked up since (`lookedUpFrom`).
 * Null: does not move.
 */
export function pastHole(
  position: SettlePosition,
  ahead: ReadonlySet<bigint>,
  lookedUpFrom: Date,
  now: Date,
): SettlePosition | null {
  const { settleIndex, gapSince } = position;
  if (gapSince === null || lookedUpFrom < gapSince) return null;
  if (now.getTime() - gapSince.getTime() < HOLE_PATIENCE_MS) return null;
  const later = [...ahead].filter((index) => index > settleIndex);
  if (later.length === 0) return null;
  const next = later.reduce((least, index) => (index < least ? index : least));
  return advance({ settleIndex: next - 1n, gapSince: null }, ahead, now);
}

function advance(from: SettlePosition, ahead: ReadonlySet<bigint>, now: Date): SettlePosition {
  let { settleIndex } = from;
  while (ahead.has(settleIndex + 1n)) settleIndex += 1n;
  const reached = settleIndex;
  const hole = [...ahead].some((index) => index > reached);
  const since = settleIndex === from.settleIndex ? from.gapSince : null;
  return { settleIndex, gapSince: hole ? (since ?? now) : null };
}
