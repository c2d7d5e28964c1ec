import type { Bench } from "./bench";
import { block } from "./benches/block";
import { catchUp } from "./benches/catch-up";
import { creation } from "./benches/creation";
import { creationDelivered } from "./benches/creation-delivered";
import { expiry } from "./benches/expiry";
import { deliveries } from "./benches/deliveries";
import { growth } from "./benches/growth";
import { latency } from "./benches/latency";
import { lists } from "./benches/lists";
import { memory } from "./benches/memory";
import { roundTrips } from "./benches/round-trips";
import { shopCreation } from "./benches/shop-creation";
import { startUp } from "./benches/start-up";

/** Every bench, in the order in which they run. */
export const BENCHES: readonly Bench[] = [
  creation,
  creationDelivered,
  shopCreation,
  latency,
  roundTrips,
  deliveries,
  startUp,
  block,
  catchUp,
  expiry,
  growth,
  lists,
  memory,
];
