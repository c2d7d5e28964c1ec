const TICK_MS = 100;

/**
 * Runs the work, and returns the longest time in milliseconds in which this process did not run, as while a machine is
 * suspended: a limit that counts real time then ends what nothing hindered.
 */
export async function withStandstill<T>(
  work: () => Promise<T>,
): Promise<{ result: T; stoodStillMs: number }> {
  let longestMs = 0;
  let last = performance.now();
  const look = (): void => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - last - TICK_MS);
    last = now;
  };
  const timer = setInterval(look, TICK_MS);
  try {
    const result = await work();
    look();
    return { result, stoodStillMs: longestMs };
  } finally {
    clearInterval(timer);
  }
}
