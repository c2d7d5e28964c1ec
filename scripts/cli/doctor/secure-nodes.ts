/**
 * The last security release of each line of Node (October 2026), and of the lines that get none any more their last
 * one: look them up at https://nodejs.org/en/blog/vulnerability before a release.
 */
export const SECURE_NODES: Readonly<Record<number, string>> = {
  20: "20.20.2",
  22: "22.23.4",
  24: "24.22.1",
  26: "26.12.1",
};

/** Lines whose maintenance has ended: their holes stay. */
export const ENDED_NODES: ReadonlySet<number> = new Set([20, 25]);
