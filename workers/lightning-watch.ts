import type { LndClient } from "../adapters/lnd/client";
import type { CommandContext } from "../commands/context";
import { runSingleton } from "./leader";
import { watchLightning, type LightningTimes } from "./lightning-loop";
import type { LightningMetrics } from "./lightning-session";
import type { RunningWorker, StartWorker } from "./worker";

export interface LightningWatchParts {
  ctx: CommandContext;
  lnd: LndClient;
  metrics: LightningMetrics;
  /** Who holds the lease, for people who read the row. */
  holder: string;
  times?: Partial<LightningTimes>;
}

export const startLightningWatch: StartWorker = ({ ctx, lightning, metrics, instanceId }) => {
  if (lightning === null) {
    ctx.log.info({}, "LND_GRPC_URL is not set: there is no Lightning to watch");
    return { close: () => Promise.resolve() };
  }
  return runLightningWatch({ ctx, lnd: lightning, metrics, holder: instanceId });
};

/** Leads the watch over LND, or stands by while another process does. */
export function runLightningWatch({ ctx, lnd, metrics, holder, times }: LightningWatchParts): RunningWorker {
  const stop = new AbortController();
  const running = runSingleton(ctx, {
    name: "lightning-watch",
    holder,
    signal: stop.signal,
    lead: (lease, signal) => watchLightning({ ctx, lightning: lnd, lease }, lnd, metrics, signal, times),
  });
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}
