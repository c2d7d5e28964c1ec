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
 * range. `read`: since the subscription began, at least one.
 */
export function afterSettled(
  position: SettlePosition | null,
  read: ReadonlySet<bigint>,
  now: Date,
): SettlePosition {
  return advance(position ?? below([...read]), read, now);
}

/** Nothing of these is read yet. */
function below(indexes: readonly bigint[]): SettlePosition {
  const least = indexes.reduce((one, other) => (other < one ? other : one));
  return { settleIndex: least - 1n, gapSince: null };
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
  return advance(below(later), ahead, now);
}

function advance(from: SettlePosition, ahead: ReadonlySet<bigint>, now: Date): SettlePosition {
  let { settleIndex } = from;
  while (ahead.has(settleIndex + 1n)) settleIndex += 1n;
  const reached = settleIndex;
  const hole = [...ahead].some((index) => index > reached);
  const since = settleIndex === from.settleIndex ? from.gapSince : null;
  return { settleIndex, gapSince: hole ? (since ?? now) : null };
}
