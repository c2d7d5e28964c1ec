import { setTimeout as sleep } from "node:timers/promises";
import type { LndClient } from "../../adapters/lnd/client";
import {
  newLightningView,
  reportTrouble,
  type LightningView,
} from "../../commands/lightning-watch/check-lightning";
import { endRetiredNode } from "../../commands/lightning/retire-node";
import { LeaseLostError } from "../../database/lease";
import type { LightningWatch } from "../../commands/lightning/lightning-node";
import { NodeUnavailableError, type NodeFault } from "../../domain/errors";
import { runSession, type LightningMetrics, type SessionTimes } from "./lightning-session";

export interface LightningTimes extends SessionTimes {
  /** The pause before LND is called again: doubled each time, up to the second value, with jitter. */
  backoffMs: readonly [first: number, longest: number];
}

const TIMES: LightningTimes = {
  tickMs: 5_000,
  sweepMs: 60_000,
  watchdogMs: 15_000,
  backoffMs: [1_000, 30_000],
};

/** An LND that answers, though it cannot be used yet, is called again soon: payments wait for it. */
const ANSWERING: readonly NodeFault[] = ["locked", "starting"];
/** After a session of this length the next failure begins with the shortest pause again. */
const GOOD_SESSION_MS = 30_000;

export type NodeWatch = Omit<LightningWatch, "lightning"> & {
  /** By the access that is stored now. @throws NodeUnavailableError */
  open(): Promise<LndClient>;
};

/** Leads: one session with the node after the other, until `signal` is aborted or the lease is lost. */
export async function watchLightning(
  watch: NodeWatch,
  metrics: LightningMetrics,
  signal: AbortSignal,
  times: Partial<LightningTimes> = {},
): Promise<void> {
  try {
    await new LightningLoop(watch, metrics, signal, { ...TIMES, ...times }).run();
  } finally {
    metrics.lightningConnected(false);
  }
}

class LightningLoop {
  readonly #view: LightningView;
  #lnd: LndClient | null = null;
  #failures = 0;
  /** What was logged last: a fault of LND, or the text of another failure. */
  #logged = "";

  constructor(
    private readonly watch: NodeWatch,
    private readonly metrics: LightningMetrics,
    private readonly signal: AbortSignal,
    private readonly times: LightningTimes,
  ) {
    this.#view = newLightningView(watch.node);
  }

  async run(): Promise<void> {
    while (!this.signal.aborted) {
      const beganAt = performance.now();
      try {
        await this.session();
      } catch (error) {
        if (this.signal.aborted || error instanceof LeaseLostError) return;
        this.metrics.lightningConnected(false);
        if (performance.now() - beganAt > GOOD_SESSION_MS) this.#failures = 0;
        if (!(await this.recover(error))) return;
      }
    }
  }

  private async session(): Promise<void> {
    const { metrics, signal, times } = this;
    const lnd = await this.watch.open();
    this.#lnd = lnd;
    const watch = { ...this.watch, lightning: lnd };
    const onUsable = (): void => {
      if (this.#logged !== "") {
        watch.ctx.log.info({ nodeId: watch.node.id }, "lightning: LND usable again");
        metrics.lightning("reconnected");
      }
      this.#logged = "";
      metrics.lightningConnected(true);
    };
    await runSession({ watch, lnd, metrics, view: this.#view, times, onUsable }, signal);
  }

  /** Waits before the next session, and keeps reporting why there is none. False when the lease is lost meanwhile. */
  private async recover(error: unknown): Promise<boolean> {
    const { watch, signal, times } = this;
    this.logTrouble(error);
    // In any case the next session begins with a new connection.
    this.#lnd?.reconnect();
    const until = performance.now() + this.waitMs(error);
    do {
      if (error instanceof NodeUnavailableError)
        try {
          await reportTrouble(watch, this.#view, error);
          await endRetiredNode(watch);
        } catch (failure) {
          if (failure instanceof LeaseLostError) return false;
          this.logTrouble(failure);
        }
      const left = Math.max(0, until - performance.now());
      await sleep(Math.min(left, times.tickMs), undefined, { signal }).catch(() => undefined);
    } while (!signal.aborted && performance.now() < until);
    return true;
  }

  private waitMs(error: unknown): number {
    const [first, longest] = this.times.backoffMs;
    const soon = error instanceof NodeUnavailableError && ANSWERING.includes(error.fault);
    const most = Math.min(first * 2 ** this.#failures, soon ? Math.min(longest, this.times.tickMs) : longest);
    this.#failures += 1;
    return most * (0.5 + Math.random() / 2);
  }

  /** Logs one line when trouble begins or changes, however often it recurs. */
  private logTrouble(error: unknown): void {
    const { log } = this.watch.ctx;
    if (error instanceof NodeUnavailableError) {
      if (error.fault !== this.#logged)
        log.warn(
          { nodeId: this.watch.node.id, fault: error.fault, withheld: (error.cause as Error)?.message },
          `lightning: LND unusable: ${error.message}`,
        );
      this.#logged = error.fault;
      return;
    }
    // The database is away, or there is a defect: nothing was half done, and all of it is tried again.
    if (String(error) !== this.#logged)
      log.error({ nodeId: this.watch.node.id, err: error }, "lightning: poll failed");
    this.#logged = String(error);
  }
}
