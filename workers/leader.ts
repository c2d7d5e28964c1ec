import { setTimeout as sleep } from "node:timers/promises";
import {
  acquireLeases,
  LEASE_RENEW_MS,
  LEASE_VALID_SECONDS,
  LeaseLostError,
  releaseLease,
  renewLeases,
  type Lease,
} from "../database/lease";
import type { CommandContext } from "../commands/context";
import { OwnConnection } from "../database/pipelined";
import { inTime } from "../database/with-deadline";
import type { RunningWorker } from "./worker";

export interface LeaderTask {
  /** The worker's, and its lease's where it has one. */
  name: string;
  /** This process's name, for people who read the row. */
  holder: string;
  /** The leases that this copy should hold now. It lets go of the others. Default: the worker's own. */
  wanted?(held: ReadonlySet<string>): Promise<readonly string[]>;
  /** Leads until `signal` is aborted (closed, or the lease is lost). Throws only what must end the leadership. */
  lead(lease: Lease, signal: AbortSignal): Promise<void>;
  /** Its work does not end although the lease is lost: the process must be restarted. */
  onStuck(error: Error): void;
}

const STAND_BY_MS = 1_000;
const LEASE_VALID_MS = LEASE_VALID_SECONDS * 1_000;
/**
 * Work in progress ends sooner, unless it waits for a host that vanished. In any case none of it is written any
 * more.
 */
const END_WITHIN_MS = 5_000;

/** Stays on standby until a lease is free, leads while it holds it, and goes back to standby, until it is closed. */
export function runAsLeader(ctx: CommandContext, task: LeaderTask): RunningWorker {
  const stop = new AbortController();
  const running = new Leader(ctx, task).run(stop.signal);
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}

interface Led {
  lease: Lease;
  /** Asked at, on the monotonic clock. */
  renewedAt: number;
  /** Let go: the lease is kept until the work has ended. */
  end: AbortController;
  lost: AbortController;
  ended: Promise<void>;
  released: boolean;
}

class Leader {
  readonly #led = new Map<string, Led>();
  #renewing: Promise<void> = Promise.resolve();
  /** The work may occupy all others, and must not cost the lease. */
  readonly #own: OwnConnection;

  constructor(
    private readonly ctx: CommandContext,
    private readonly task: LeaderTask,
  ) {
    this.#own = new OwnConnection(ctx.db);
  }

  async run(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const renewing = this.keepLeases(over.signal);
    while (!signal.aborted) {
      await this.takeWanted().catch((error: unknown) => {
        this.ctx.log.warn({ err: error }, "lease: request failed");
      });
      await pause(STAND_BY_MS, signal);
    }
    for (const { end } of this.#led.values()) end.abort();
    await Promise.all([...this.#led.values()].map(({ ended }) => ended));
    over.abort();
    await renewing;
    await this.#own.close();
  }

  private async takeWanted(): Promise<void> {
    const { task } = this;
    const wanted = new Set((await task.wanted?.(new Set(this.#led.keys()))) ?? [task.name]);
    for (const [name, { end }] of this.#led) if (!wanted.has(name)) end.abort();
    const others = [...wanted].filter((name) => !this.#led.has(name));
    if (others.length === 0) return;
    const renewedAt = performance.now();
    const taken = await this.#own.run((manager) => acquireLeases(manager, others, task.holder));
    for (const lease of taken) {
      const [end, lost] = [new AbortController(), new AbortController()];
      const led: Led = { lease, renewedAt, end, lost, ended: Promise.resolve(), released: false };
      this.#led.set(lease.name, led);
      led.ended = this.lead(led).finally(() => this.#led.delete(lease.name));
    }
  }

  private async lead(led: Led): Promise<void> {
    const { ctx, task } = this;
    const { lease, end, lost } = led;
    const fields = { lease: lease.name, epoch: lease.epoch };
    const level = task.wanted === undefined ? "info" : "debug"; // of many leases
    ctx.log[level](fields, "leading");
    let stuck: NodeJS.Timeout | undefined;
    const expectEnd = (): void => {
      const words = `${lease.name} lost its lease, and its work did not end within ${END_WITHIN_MS / 1_000} s`;
      stuck = setTimeout(() => task.onStuck(new Error(words)), END_WITHIN_MS);
    };
    lost.signal.addEventListener("abort", expectEnd);
    try {
      await task.lead(lease, AbortSignal.any([end.signal, lost.signal]));
    } catch (error) {
      if (!(error instanceof LeaseLostError))
        ctx.log.error({ lease: lease.name, err: error }, "lease: leader failed");
    }
    lost.signal.removeEventListener("abort", expectEnd);
    clearTimeout(stuck);
    led.released = true;
    await this.#renewing; // a renewal after the release would keep it from others
    await inTime(releaseLease(ctx.db, lease)).catch((error: unknown) => {
      ctx.log.warn({ lease: lease.name, err: error }, "lease: release failed, left to expire");
    });
    ctx.log[level](fields, "lease: no longer leading");
  }

  /** All with one statement, until `over`. */
  private async keepLeases(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await pause(LEASE_RENEW_MS, over);
      const held = [...this.#led.values()].filter(({ lost, released }) => !released && !lost.signal.aborted);
      if (over.aborted || held.length === 0) continue;
      this.#renewing = this.renew(held);
      await this.#renewing;
    }
  }

  /** Work ends when another process leads, or the lease must have ended by now. */
  private async renew(held: readonly Led[]): Promise<void> {
    const { ctx } = this;
    const asked = performance.now();
    const runsOutAt = Math.min(...held.map(({ renewedAt }) => renewedAt)) + LEASE_VALID_MS;
    let kept = new Set<string>();
    let failed = false;
    try {
      const leases = held.map(({ lease }) => lease);
      const withinMs = Math.max(1, runsOutAt - asked);
      kept = await this.#own.run((manager) => renewLeases(manager, leases), withinMs);
    } catch (error) {
      failed = true;
      ctx.log.warn({ err: error }, "lease: renewal failed");
    }
    const now = performance.now() + 1; // timers count whole milliseconds
    for (const led of held) {
      if (kept.has(led.lease.name)) led.renewedAt = asked;
      else if (!failed || now >= led.renewedAt + LEASE_VALID_MS) this.lose(led);
    }
  }

  private lose({ lease, lost }: Led): void {
    this.ctx.log.warn({ lease: lease.name, epoch: lease.epoch }, "lease: lost");
    lost.abort();
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
