import { setTimeout as sleep } from "node:timers/promises";
import type { LndClient } from "../../adapters/lnd/client";
import { LndFailure } from "../../adapters/lnd/failure";
import { NO_INVOICE } from "../../adapters/lnd/lnd-client";
import type { ProcessMetrics } from "../../adapters/metrics/process-metrics";
import {
  beginSession,
  checkLightning,
  checkPressing,
  refreshFacts,
  refreshInfo,
  reportAnswering,
  type LightningView,
} from "../../commands/lightning-watch/check-lightning";
import {
  recordSettled,
  type SettledReading,
  writeCursor,
} from "../../commands/lightning-watch/lightning-cursor";
import type { LightningWatch } from "../../commands/lightning/lightning-node";
import { NodeUnavailableError } from "../../domain/errors";

export interface SessionTimes {
  /** How often the row of the payment method is written, and what is urgent is looked up. */
  tickMs: number;
  /** How often the next open BOLT11s are looked up. */
  sweepMs: number;
  /** How often to check that the node answers. */
  watchdogMs: number;
}

export type LightningMetrics = Pick<ProcessMetrics, "lightning" | "lightningConnected">;

export interface SessionParts {
  watch: LightningWatch;
  lnd: LndClient;
  metrics: LightningMetrics;
  view: LightningView;
  times: SessionTimes;
  /** Called each time that the row was written as usable. */
  onUsable(): void;
}

/** Within a tick. */
const PHASES = 10;

const WHY_NOT_ACTIVE = {
  locked: "LND's wallet is locked",
  starting: "LND is starting",
} as const;

/**
 * One connection with LND: receives settled invoices as they come, looks up everything at its beginning and a part of it
 * every minute, and watches the connection itself. Resolves when `signal` is aborted, or when the stream has to begin
 * elsewhere.
 * @throws NodeUnavailableError, LeaseLostError
 */
export async function runSession(parts: SessionParts, signal: AbortSignal): Promise<void> {
  const { watch, lnd, view } = parts;
  if (signal.aborted) return;
  const end = new AbortController();
  // Whatever the node does, its work has ended before another process begins with it.
  const endNow = (): void => {
    end.abort();
    lnd.reconnect();
  };
  signal.addEventListener("abort", endNow, { once: true });
  try {
    const state = await lnd.state();
    if (state !== "active") throw new NodeUnavailableError(WHY_NOT_ACTIVE[state], state);
    await new Session(parts, await beginSession(watch, view), end).run();
  } finally {
    signal.removeEventListener("abort", endNow);
  }
}

class Session {
  readonly #phase = Math.floor(Math.random() * PHASES) / PHASES;

  constructor(
    private readonly parts: SessionParts,
    private readonly reading: SettledReading,
    private readonly end: AbortController,
  ) {}

  /** When one of them ends, all end; work in progress is waited for. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    const tasks = [this.stream(), this.sweeps(), this.ticks(), this.watchdogs()].map((task) =>
      task.catch((error: unknown) => failures.push(error)).finally(() => this.end.abort()),
    );
    await Promise.all(tasks);
    if (failures.length > 0) throw failures[0];
  }

  private async stream(): Promise<void> {
    const { watch, lnd, metrics, view } = this.parts;
    const { reading } = this;
    const { reached } = reading;
    let last = view.skipped?.after === reached ? view.skipped.last : reached;
    const reads = lnd.subscribeSettled(
      last,
      async (invoice) => {
        last = invoice.settleIndex > last ? invoice.settleIndex : last;
        const invoiceId = await recordSettled(watch, reading, invoice);
        metrics.lightning(invoiceId === null ? "other" : "payment");
        return invoiceId !== null;
      },
      this.end.signal,
    );
    await reads.catch((error: unknown) => {
      // Only a look-up reads it: the next session looks up all, and its stream begins behind it.
      const long = error instanceof LndFailure && error.meaning === "too-large";
      // After 0 it would begin with the node's whole past.
      if (long && last > 0n) view.skipped = { after: reached, last: last + 1n };
      throw error;
    });
  }

  private async sweeps(): Promise<void> {
    const { watch, lnd, view, times, onUsable } = this.parts;
    const hooks = { signal: this.end.signal, onUsable };
    while (!this.end.signal.aborted) {
      const beganAt = performance.now();
      // The first answer comes after the subscription's request: what settles from here on is either in the stream or
      // in the look-ups. Each shows the right to make them.
      await lnd.lookUpInvoice(NO_INVOICE);
      if (await checkLightning(watch, view, this.reading, hooks)) return;
      await this.pause(beganAt + times.sweepMs - performance.now());
      if (this.end.signal.aborted) return;
      await refreshFacts(watch, view);
    }
  }

  private async ticks(): Promise<void> {
    const { watch, view, times, onUsable } = this.parts;
    while (!this.end.signal.aborted) {
      if (await reportAnswering(watch, view)) onUsable();
      // Many sessions wake up together, and share their statements; all at once would delay what comes meanwhile.
      await this.pause(times.tickMs - ((performance.now() + this.#phase * times.tickMs) % times.tickMs));
      if (this.end.signal.aborted) return;
      await writeCursor(watch, this.reading);
      await checkPressing(watch, view, this.reading, this.end.signal);
    }
  }

  /** Each by its own time: calls of many nodes at once would delay all of them. */
  private async watchdogs(): Promise<void> {
    const { watch, view, times } = this.parts;
    for (;;) {
      await this.pause(times.watchdogMs);
      if (this.end.signal.aborted) return;
      await refreshInfo(watch, view);
    }
  }

  private async pause(ms: number): Promise<void> {
    await sleep(Math.max(0, ms), undefined, { signal: this.end.signal }).catch(() => undefined);
  }
}
