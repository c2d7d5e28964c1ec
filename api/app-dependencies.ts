import type { AccountMarks } from "../adapters/account-marks";
import type { Board, BoardOptions } from "../adapters/queues/board";
import type { QueueStats } from "../adapters/queues/connect";
import type { TestCustomer } from "../adapters/http/test-customer";
import type { ProcessMetrics } from "../adapters/metrics/process-metrics";
import type { LoginLimits } from "../adapters/login-limits";
import type { RateLimits } from "../adapters/rate-limits";
import type { CommandContext } from "../commands/context";
import type { Check } from "../commands/server/health";
import type { Log } from "../commands/ports";
import type { AddressRange } from "../domain/ip-address";
import type { Network } from "../domain/network";
import type { ChangeWatch } from "./dashboard/change-watch";
import type { CheckoutFiles } from "./checkout/checkout-files";
import type { ModalScript } from "./checkout/modal-script";
import type { DashboardFiles } from "./dashboard/dashboard-files";
import type { ProxyWatch } from "./http/proxy-watch";

/** The dependencies of the app. */
export interface AppDependencies {
  /** Null until the database was reached for the first time: until then everything that needs it answers 503. */
  context: () => CommandContext | null;
  log: Log;
  metrics: Pick<ProcessMetrics, "request" | "stream" | "refusal">;
  newId: (prefix: string) => string;
  version: string;
  network: Network;
  /** Where browsers find this service. */
  publicUrl: string;
  /** For Strict-Transport-Security; off by default. */
  hstsSubdomains?: boolean;
  bitcoinConfigured: boolean;
  lightningConfigured: boolean;
  queueHealth: () => Promise<Check>;
  queueStats: () => Promise<QueueStats>;
  /** Null if there are no queues to show; then the board does not exist. */
  queueBoard: ((options: BoardOptions) => Board) | null;
  /** The built pages; null if they are not built; then they do not exist. */
  dashboard: DashboardFiles | null;
  /** The checkout's styles and script; null if they are not built; then its pages have none. */
  checkout: CheckoutFiles | null;
  /** The script by which shops show the checkout in a dialog; null if it is not built; then it does not exist. */
  modal: ModalScript | null;
  /** The same for shop plugins, which know it by another name; null where it is not built. */
  btcpayModal: ModalScript | null;
  /** The simulated customer behind the checkout's buttons on regtest; null without one. */
  testCustomer: TestCustomer | null;
  /** Null if there is no limit. */
  limits: RateLimits | null;
  /** The limits of login tries. */
  logins: LoginLimits;
  /** Recognises browsers that logged in before. */
  marks: AccountMarks;
  trustedProxies: readonly AddressRange[];
  proxies: ProxyWatch;
  /** How long a health result is cached; a second by default. */
  healthMaxAgeMs?: number;
  /** The process stops: waiting requests are answered at once. */
  stopping: AbortSignal;
  /** Changes published by all processes. */
  changes: Pick<ChangeWatch, "watch" | "watchInvoice">;
}
