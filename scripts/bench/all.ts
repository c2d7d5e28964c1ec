import type { Bench } from "./bench";
import { block } from "./block";
import { catchUp } from "./catch-up";
import { creation } from "./creation";
import { lists } from "./lists";

/** Every bench, in the order in which they run. */
export const BENCHES: readonly Bench[] = [creation, block, catchUp, lists];
