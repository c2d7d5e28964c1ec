import type { Pace } from "../domain/gather";

/** So that one that hangs on a dead connection, or waits for a lock, does not hold up all that come after it. */
const RUNS_AT_ONCE = 2;
/** About as long as a statement takes where nothing holds it up: one after the other they serve more at a time. */
const HELD_UP_MS = 5;

/**
 * For statements that requests share (domain/gather): the first begins when all requests that had come were looked at, so
 * that those of one moment go together, and a second beside it where it is held up (docs/adr/0038).
 */
export const TOGETHER: Pace = {
  runsAtOnce: RUNS_AT_ONCE,
  begin(run, beside) {
    if (beside === 0) setImmediate(run);
    else setTimeout(run, HELD_UP_MS);
  },
};
