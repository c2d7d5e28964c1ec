import { setTimeout as sleep } from "node:timers/promises";
import {
  acquireLease,
  LEASE_RENEW_MS,
  LEASE_VALID_SECONDS,
  LeaseLostError,
  releaseLease,
  renewLease,
  type Lease,
} from "../commands/lease";
import type { CommandContext } from "../commands/context";

export interface Singleton {
  /** Name of the lease: the worker's. */
  name: string;
  /** Who we are, for people who read the row. */
  holder: string;
  /** Ends everything. */
  signal: AbortSignal;
  /** Leads until `signal` is aborted (stop, or the lease is lost). Throws only for what ends its reign. */
  lead(lease: Lease, signal: AbortSignal): Promise<void>;
}

const STAND_BY_MS = 1_000;

/** Stands by until the lease is free, leads while it is held, and stands by again. Resolves after `signal` is aborted. */
export async function runSingleton(ctx: CommandContext, singleton: Singleton): Promise<void> {
  const { name, holder, signal } = singleton;
  while (!signal.aborted) {
    const lease = await acquireLease(ctx.db, name, holder).catch((error: unknown) => {
      ctx.log.warn({ worker: name, err: error }, "could not ask for the lease");
      return null;
    });
    if (lease !== null) await reign(ctx, singleton, lease);
    if (!signal.aborted) await sleep(STAND_BY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function reign(ctx: CommandContext, singleton: Singleton, lease: Lease): Promise<void> {
  const { name, signal } = singleton;
  ctx.log.info({ worker: name, epoch: lease.epoch }, "leading");
  const lost = new AbortController();
  const renewing = keepLease(ctx, lease, lost);
  try {
    await singleton.lead(lease, AbortSignal.any([signal, lost.signal]));
  } catch (error) {
    if (!(error instanceof LeaseLostError)) ctx.log.error({ worker: name, err: error }, "leading ended");
  }
  lost.abort();
  await renewing;
  await releaseLease(ctx.db, lease).catch((error: unknown) => {
    ctx.log.warn({ worker: name, err: error }, "could not release the lease: it runs out by itself");
  });
  ctx.log.info({ worker: name, epoch: lease.epoch }, "no longer leading");
}

/** Renews until `lost` is aborted; aborts it when another leads or the lease must have run out by now. */
async function keepLease(ctx: CommandContext, lease: Lease, lost: AbortController): Promise<void> {
  let renewedAt = performance.now();
  while (!lost.signal.aborted) {
    await sleep(LEASE_RENEW_MS, undefined, { signal: lost.signal }).catch(() => undefined);
    if (lost.signal.aborted) return;
    const asked = performance.now();
    try {
      await renewLease(ctx.db, lease);
      renewedAt = asked;
    } catch (error) {
      const ranOut = performance.now() - renewedAt > LEASE_VALID_SECONDS * 1_000;
      if (!(error instanceof LeaseLostError) && !ranOut) {
        ctx.log.warn({ worker: lease.name, err: error }, "could not renew the lease");
        continue;
      }
      ctx.log.warn({ worker: lease.name, epoch: lease.epoch }, "lost the lease");
      lost.abort();
    }
  }
}
