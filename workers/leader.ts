import { setTimeout as sleep } from "node:timers/promises";
import {
  acquireLease,
  LEASE_RENEW_MS,
  LEASE_VALID_SECONDS,
  LeaseLostError,
  releaseLease,
  renewLease,
  type Lease,
} from "../commands/server/lease";
import type { CommandContext } from "../commands/context";
import { inTime } from "../database/in-time";
import type { RunningWorker } from "./worker";

export interface LeaderTask {
  /** The name of the lease: the worker's. */
  name: string;
  /** This process's name, for people who read the row. */
  holder: string;
  /** Leads until `signal` is aborted (closed, or the lease is lost). Throws only what must end the leadership. */
  lead: (lease: Lease, signal: AbortSignal) => Promise<void>;
  /** Its work does not end although the lease is lost: the process must be restarted. */
  onStuck: (error: Error) => void;
}

const STAND_BY_MS = 1_000;
const LEASE_VALID_MS = LEASE_VALID_SECONDS * 1_000;
/**
 * Work in progress ends sooner, unless it waits for a host that vanished. In any case none of it is written any
 * more.
 */
const END_WITHIN_MS = 5_000;

/** Stays on standby until the lease is free, leads while it holds it, and goes back to standby, until it is closed. */
export function runAsLeader(ctx: CommandContext, task: LeaderTask): RunningWorker {
  const stop = new AbortController();
  const running = leadOrStandBy(ctx, task, stop.signal);
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}

async function leadOrStandBy(ctx: CommandContext, task: LeaderTask, signal: AbortSignal): Promise<void> {
  const { name, holder } = task;
  while (!signal.aborted) {
    const lease = await acquireLease(ctx.db, name, holder).catch((error: unknown) => {
      ctx.log.warn({ worker: name, err: error }, "lease: request failed");
      return null;
    });
    if (lease !== null) await leadUntilLost(ctx, task, lease, signal);
    if (!signal.aborted) await sleep(STAND_BY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function leadUntilLost(
  ctx: CommandContext,
  { name, onStuck, lead }: LeaderTask,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  ctx.log.info({ worker: name, epoch: lease.epoch }, "leading");
  const lost = new AbortController();
  const renewing = keepLease(ctx, lease, lost);
  let stuck: NodeJS.Timeout | undefined;
  const expectEnd = (): void => {
    const words = `${name} lost its lease, and its work did not end within ${END_WITHIN_MS / 1_000} s`;
    stuck = setTimeout(() => onStuck(new Error(words)), END_WITHIN_MS);
  };
  lost.signal.addEventListener("abort", expectEnd);
  try {
    await lead(lease, AbortSignal.any([signal, lost.signal]));
  } catch (error) {
    if (!(error instanceof LeaseLostError))
      ctx.log.error({ worker: name, err: error }, "lease: leader failed");
  }
  lost.signal.removeEventListener("abort", expectEnd);
  clearTimeout(stuck);
  lost.abort();
  await renewing;
  await inTime(releaseLease(ctx.db, lease)).catch((error: unknown) => {
    ctx.log.warn({ worker: name, err: error }, "lease: release failed, left to expire");
  });
  ctx.log.info({ worker: name, epoch: lease.epoch }, "lease: no longer leading");
}

/**
 * Renews the lease until `lost` is aborted; aborts it when another process leads or the lease must have ended by
 * now.
 */
async function keepLease(ctx: CommandContext, lease: Lease, lost: AbortController): Promise<void> {
  let renewedAt = performance.now();
  while (!lost.signal.aborted) {
    await sleep(LEASE_RENEW_MS, undefined, { signal: lost.signal }).catch(() => undefined);
    if (lost.signal.aborted) return;
    const asked = performance.now();
    const runsOutAt = renewedAt + LEASE_VALID_MS;
    try {
      await inTime(renewLease(ctx.db, lease), Math.max(1, runsOutAt - asked));
      renewedAt = asked;
    } catch (error) {
      const ranOut = performance.now() >= runsOutAt - 1; // timers count whole milliseconds
      if (!(error instanceof LeaseLostError) && !ranOut) {
        ctx.log.warn({ worker: lease.name, err: error }, "lease: renewal failed");
        continue;
      }
      ctx.log.warn({ worker: lease.name, epoch: lease.epoch }, "lease: lost");
      lost.abort();
    }
  }
}
