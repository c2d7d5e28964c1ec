import type { Pace } from "../domain/gather";

/** So that one that hangs on a dead connection, or waits for a lock, does not hold up all that come after it. */
const RUNS_AT_ONCE = 2;
/**
 * Longer than a statement takes where nothing but other work holds it up: one after the other they serve more at a time
 * (5 ms were passed so often on a busy machine that two ran nearly always: docs/adr/0041).
 */
const HELD_UP_MS = 20;

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
