import type { Bench } from "./bench";
import { block } from "./benches/block";
import { creation } from "./benches/creation";
import { creationDelivered } from "./benches/creation-delivered";
import { expiry } from "./benches/expiry";
import { deliveries } from "./benches/deliveries";
import { latency } from "./benches/latency";
import { lists } from "./benches/lists";
import { memory } from "./benches/memory";
import { roundTrips } from "./benches/round-trips";

/** Every bench, in the order in which they run. */
export const BENCHES: readonly Bench[] = [
  creation,
  creationDelivered,
  latency,
  roundTrips,
  deliveries,
  block,
  expiry,
  lists,
  memory,
];
