import type { Bench } from "./bench";

/** Every bench, in the order in which they run. */
export const BENCHES: readonly Bench[] = [];
