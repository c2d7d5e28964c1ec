import type { LndClient } from "../adapters/lnd/client";
import type { CommandContext } from "../commands/context";
import { SERVER_NODE_ID } from "../entities/lightning-node";
import { runAsLeader } from "./leader";
import { watchLightning, type LightningTimes } from "./lightning/lightning-loop";
import type { LightningMetrics } from "./lightning/lightning-session";
import type { RunningWorker, StartWorker } from "./worker";

export interface LightningWatchParts {
  ctx: CommandContext;
  lnd: LndClient;
  metrics: LightningMetrics;
  /** The lease's holder, for people who read the row. */
  holder: string;
  /** The worker cannot continue; the process must be restarted. */
  onFatal: (error: Error) => void;
  times?: Partial<LightningTimes>;
}

export const startLightningWatch: StartWorker = ({ ctx, lightning, metrics, instanceId, onFatal }) => {
  if (lightning === null) {
    ctx.log.info({}, "lightning: LND_GRPC_URL is not set, nothing to watch");
    return { close: () => Promise.resolve() };
  }
  return runLightningWatch({ ctx, lnd: lightning, metrics, holder: instanceId, onFatal });
};

/** Leads the watch over LND, or is standby while another process leads. */
export function runLightningWatch({
  ctx,
  lnd,
  metrics,
  holder,
  onFatal,
  times,
}: LightningWatchParts): RunningWorker {
  return runAsLeader(ctx, {
    name: "lightning-watch",
    holder,
    onStuck: onFatal,
    lead: (lease, signal) =>
      watchLightning(
        { ctx: { ...ctx, lease }, lightning: lnd, lease, nodeId: SERVER_NODE_ID },
        lnd,
        metrics,
        signal,
        times,
      ),
  });
}
