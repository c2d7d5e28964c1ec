import type { Board, BoardOptions } from "../adapters/queues/board";
import type { ProcessMetrics } from "../adapters/metrics/process-metrics";
import type { RateLimits } from "../adapters/rate-limits";
import type { CommandContext } from "../commands/context";
import type { Check } from "../commands/health";
import type { Log } from "../commands/ports";
import type { TrustedProxy } from "../domain/client-address";
import type { Network } from "../domain/network";

export interface QueueBoardParts {
  /** `user:password` */
  credentials: string;
  publicUrl: string;
  open: (options: BoardOptions) => Board;
}

/** What the app is made of. */
export interface AppParts {
  /** Null until the database was reached for the first time: all that needs it answers 503 meanwhile. */
  context: () => CommandContext | null;
  log: Log;
  metrics: Pick<ProcessMetrics, "request">;
  newId: (prefix: string) => string;
  version: string;
  network: Network;
  bitcoinConfigured: boolean;
  queueHealth: () => Promise<Check>;
  /** Null where there is no login for it: then it is not there. */
  queueBoard: QueueBoardParts | null;
  /** Null where there is no limit. */
  limits: RateLimits | null;
  trustedProxies: readonly TrustedProxy[];
  /** The process is to end: who waits is answered at once. */
  stopping: AbortSignal;
}
