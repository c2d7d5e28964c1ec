import type { LoginLimits } from "../../adapters/login-limits";
import type { ProcessMetrics } from "../../adapters/metrics/process-metrics";
import type { RateLimits } from "../../adapters/rate-limits";
import type { CommandContext } from "../../commands/context";
import type { Log } from "../../commands/ports";
import type { AddressRange } from "../../domain/ip-address";
import type { ChangeWatch } from "../live/change-watch";

/** For requests of every kind. */
export interface HttpParts {
  /** Null until the database was reached for the first time. */
  context: () => CommandContext | null;
  log: Log;
  metrics: ProcessMetrics;
  publicUrl: string;
  limits: RateLimits | null;
  logins: LoginLimits;
  trustedProxies: readonly AddressRange[];
  stopping: AbortSignal;
  changes: Pick<ChangeWatch, "watch" | "watchInvoice">;
}
