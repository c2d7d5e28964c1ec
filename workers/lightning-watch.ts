import type { LndNodes } from "../adapters/lnd/lnd-nodes";
import type { CommandContext } from "../commands/context";
import { runAsLeader } from "./leader";
import type { LightningTimes } from "./lightning/lightning-loop";
import type { LightningMetrics } from "./lightning/lightning-session";
import { WatchedNodes } from "./lightning/watched-nodes";
import type { RunningWorker, StartWorker } from "./worker";

export interface LightningWatchParts {
  ctx: CommandContext;
  lightning: LndNodes;
  metrics: LightningMetrics;
  /** The leases' holder, different for each copy. */
  holder: string;
  /** The worker cannot continue; the process must be restarted. */
  onFatal: (error: Error) => void;
  times?: Partial<LightningTimes>;
}

export const startLightningWatch: StartWorker = ({ ctx, lightning, metrics, instanceId, onFatal }) => {
  // Each connection keeps some bytes for long, and with them all of a pool's that were made at the same time.
  Buffer.poolSize = 0;
  return runLightningWatch({ ctx, lightning, metrics, holder: instanceId, onFatal });
};

/** Watches its share of the nodes, or is standby while other processes watch them. */
export function runLightningWatch(parts: LightningWatchParts): RunningWorker {
  const { ctx, lightning, metrics, holder, onFatal, times } = parts;
  const nodes = new WatchedNodes({ ctx, lightning, metrics, holder, times });
  return runAsLeader(ctx, {
    name: "lightning-watch",
    holder,
    onStuck: onFatal,
    wanted: (held) => nodes.wanted(held),
    lead: (lease, signal) => nodes.lead(lease, signal),
  });
}
