import type { Board, BoardOptions } from "../adapters/queues/board";
import type { QueueStats } from "../adapters/queues/connect";
import type { TestCustomer } from "../adapters/http/test-customer";
import type { ProcessMetrics } from "../adapters/metrics/process-metrics";
import type { LoginLimits } from "../adapters/login-limits";
import type { RateLimits } from "../adapters/rate-limits";
import type { CommandContext } from "../commands/context";
import type { Check, Surroundings } from "../commands/health";
import type { Log } from "../commands/ports";
import type { TrustedProxy } from "../domain/client-address";
import type { Network } from "../domain/network";
import type { ChangeWatch } from "./change-watch";
import type { CheckoutFiles } from "./checkout/checkout-files";
import type { ModalScript } from "./checkout/modal-script";
import type { DashboardFiles } from "./dashboard-files";

/** What the app is made of. */
export interface AppParts {
  /** Null until the database was reached for the first time: all that needs it answers 503 meanwhile. */
  context: () => CommandContext | null;
  log: Log;
  metrics: Pick<ProcessMetrics, "request" | "stream">;
  newId: (prefix: string) => string;
  version: string;
  network: Network;
  /** Where browsers find this service. */
  publicUrl: string;
  bitcoinConfigured: boolean;
  lightningConfigured: boolean;
  queueHealth: () => Promise<Check>;
  /** Null where there is no read replica. */
  replicaHealth: Surroundings["replicaHealth"];
  queueStats: () => Promise<QueueStats>;
  /** Null where there are no queues to show: then it is not there. */
  queueBoard: ((options: BoardOptions) => Board) | null;
  /** The built pages; null where they are not built: then they are not there. */
  dashboard: DashboardFiles | null;
  /** The checkout's styles and script; null where they are not built: then its pages are without. */
  checkout: CheckoutFiles | null;
  /** The script by which shops show the checkout in a dialog; null where it is not built: then it is not there. */
  modal: ModalScript | null;
  /** Who presses the checkout's buttons on regtest; null where there is none. */
  testCustomer: TestCustomer | null;
  /** Null where there is no limit. */
  limits: RateLimits | null;
  /** How often one may try to log in. */
  logins: LoginLimits;
  trustedProxies: readonly TrustedProxy[];
  /** The process is to end: who waits is answered at once. */
  stopping: AbortSignal;
  /** What changes, told by all processes. */
  changes: Pick<ChangeWatch, "watch" | "watchInvoice">;
}
