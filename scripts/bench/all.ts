import type { Bench } from "./bench";
import { block } from "./block";
import { catchUp } from "./catch-up";
import { creation } from "./creation";
import { expiry } from "./expiry";
import { deliveries } from "./deliveries";
import { growth } from "./growth";
import { latency } from "./latency";
import { lists } from "./lists";
import { memory } from "./memory";
import { startUp } from "./start-up";

/** Every bench, in the order in which they run. */
export const BENCHES: readonly Bench[] = [
  creation,
  latency,
  deliveries,
  startUp,
  block,
  catchUp,
  expiry,
  growth,
  lists,
  memory,
];
