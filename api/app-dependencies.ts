import type { AccountMarks } from "../adapters/account-marks";
import type { Board, BoardOptions } from "../adapters/queues/board";
import type { QueueStats } from "../adapters/queues/connect";
import type { TestCustomer } from "../adapters/http/test-customer";
import type { ProcessMetrics } from "../adapters/metrics/process-metrics";
import type { LoginLimits } from "../adapters/login-limits";
import type { RateLimits } from "../adapters/rate-limits";
import type { CommandContext } from "../commands/context";
import type { Check } from "../commands/installation/health";
import type { Log } from "../commands/ports";
import type { AddressRange } from "../domain/ip-address";
import type { Network } from "../domain/network";
import type { ChangeWatch } from "./dashboard/change-watch";
import type { CheckoutFiles } from "./checkout/checkout-files";
import type { ModalScript } from "./checkout/modal-script";
import type { DashboardFiles } from "./dashboard/dashboard-files";
import type { ProxyWatch } from "./http/proxy-watch";

export interface AppDependencies {
  /** Null until the database was reached for the first time. */
  context: () => CommandContext | null;
  log: Log;
  metrics: Pick<ProcessMetrics, "request" | "stream" | "refusal">;
  newId: (prefix: string) => string;
  version: string;
  network: Network;
  publicUrl: string;
  /** Default: off. */
  hstsSubdomains?: boolean;
  bitcoinConfigured: boolean;
  lightningConfigured: boolean;
  queueHealth: () => Promise<Check>;
  queueStats: () => Promise<QueueStats>;
  queueBoard: ((options: BoardOptions) => Board) | null;
  dashboard: DashboardFiles | null;
  /** Null: not built; the pages have none. */
  checkout: CheckoutFiles | null;
  modal: ModalScript | null;
  /** For shop plugins, which know it by another name; null: not built. */
  btcpayModal: ModalScript | null;
  testCustomer: TestCustomer | null;
  limits: RateLimits | null;
  logins: LoginLimits;
  marks: AccountMarks;
  trustedProxies: readonly AddressRange[];
  proxies: ProxyWatch;
  /** Default: a second. */
  healthMaxAgeMs?: number;
  stopping: AbortSignal;
  changes: Pick<ChangeWatch, "watch" | "watchInvoice">;
}
