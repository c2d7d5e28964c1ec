import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessMetrics } from "../../adapters/metrics/process-metrics";
import {
  checkChain,
  hearTransactions,
  newChainView,
  noteMissed,
  type CheckHooks,
  type CheckOutcome,
} from "../../commands/chain/check-chain";
import { LeaseLostError } from "../../database/lease";
import type { ChainWatch } from "../../commands/chain/chain-watch";
import { reportLongCheck } from "../../commands/server/write-sync";
import type { ChainHints } from "./chain-hints";

/** A complete check begins at least this often, with or without hints. */
export const TICK_MS = 5_000;
const TOUCH_MS = 5_000;
/** While catching up, confirmations are requested this often, and at the end. */
const CONFIRM_EVERY_MS = 1_000;
const AFTER_FAILURE_MS = 1_000;

export interface LoopParts {
  hints: ChainHints;
  metrics: Pick<ProcessMetrics, "malformed">;
}

/**
 * Leads until `signal` is aborted or the lease is lost: processes hints as they come, and concurrently polls
 * everything every few seconds. Neither waits for the other, except for its writes.
 */
export async function watchChain(
  watch: ChainWatch,
  beside: LoopParts,
  signal: AbortSignal,
  tickMs = TICK_MS,
): Promise<void> {
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const loop = new ChainLoop(watch, beside, until, tickMs);
  const turns = [() => loop.readTransactions(), () => loop.checkWhenDue()];
  await Promise.all(turns.map((turn) => again(watch, turn, until).finally(() => over.abort())));
}

async function again({ ctx }: ChainWatch, turn: () => Promise<void>, signal: AbortSignal): Promise<void> {
  let failure = "";
  while (!signal.aborted) {
    try {
      await turn();
      failure = "";
    } catch (error) {
      if (signal.aborted || error instanceof LeaseLostError) return;
      // The database is away, or there is a defect: nothing was half done, and all of it is retried. Logged
      // once.
      if (String(error) !== failure) ctx.log.error({ err: error }, "chain: poll failed");
      failure = String(error);
      await sleep(AFTER_FAILURE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

type Trouble = Extract<CheckOutcome, { caughtUp: false }>["fault"];

class ChainLoop {
  private readonly hints: ChainHints;
  private readonly metrics: LoopParts["metrics"];
  readonly #view = newChainView();
  readonly #hooks: CheckHooks;
  #nextCheckAt = 0;
  #touchedAt = 0;
  /** The last block for which no job was requested yet. */
  #unconfirmed: number | null = null;
  #confirmedAt = -Infinity;
  #trouble: Trouble | null = null;
  /** Counted since this process leads. */
  #malformed = { transactions: 0, answers: 0 };

  constructor(
    private readonly watch: ChainWatch,
    { hints, metrics }: LoopParts,
    private readonly signal: AbortSignal,
    private readonly tickMs: number,
  ) {
    this.hints = hints;
    this.metrics = metrics;
    this.#hooks = {
      signal,
      onBlock: async ({ height }) => {
        this.#unconfirmed = height;
        if (performance.now() - this.#confirmedAt >= CONFIRM_EVERY_MS) await this.#askToConfirm();
        await this.#showLife();
      },
      onWalked: () => this.#askToConfirm(),
      onChunk: () => this.#showLife(),
      onMalformed: (count) => metrics.malformed("transactions", count),
    };
  }

  /** The next complete check, when it is due or requested. */
  async checkWhenDue(): Promise<void> {
    await this.hints.waitForCheck(this.#nextCheckAt - performance.now(), this.signal);
    if (this.signal.aborted) return;
    this.hints.takeCheck();
    this.#trustNoNewsAfterMiss();
    this.#nextCheckAt = performance.now() + this.tickMs;
    this.#touchedAt = performance.now();
    const outcome = await checkChain(this.watch, this.#view, this.#hooks);
    this.#logTrouble(outcome);
  }

  #trustNoNewsAfterMiss(): void {
    if (this.hints.takeMissed()) noteMissed(this.#view);
  }

  /** One job covers all blocks up to this one. */
  async #askToConfirm(): Promise<void> {
    const height = this.#unconfirmed;
    if (height === null) return;
    this.#unconfirmed = null;
    await this.watch.ctx.enqueue("confirmations", [{ height }]);
    this.#confirmedAt = performance.now();
  }

  /** During a long check the row shows that the process is alive. */
  async #showLife(): Promise<void> {
    if (performance.now() - this.#touchedAt < TOUCH_MS) return;
    this.#touchedAt = performance.now();
    await reportLongCheck(this.watch.ctx);
  }

  /** The next transactions: those that arrive while others are processed are read together. */
  async readTransactions(): Promise<void> {
    await this.hints.waitForTransactions(this.signal);
    const raws = this.hints.takeTransactions();
    if (this.signal.aborted) return;
    this.#trustNoNewsAfterMiss();
    const detected = await hearTransactions(this.watch, this.#view, raws);
    if (detected === null) return;
    this.#malformed.transactions += detected.malformed;
    this.metrics.malformed("transactions", detected.malformed);
    if (detected.malformed > 0)
      this.watch.ctx.log.warn(
        { total: this.#malformed.transactions },
        "chain: malformed transactions skipped",
      );
    if (detected.contradicted) this.hints.check();
  }

  /**
   * Logs one line when trouble begins or changes its kind, and one when it ends; `problem` is its latest
   * description.
   */
  #logTrouble(outcome: CheckOutcome): void {
    const { log } = this.watch.ctx;
    if (outcome.caughtUp) {
      if (this.#trouble !== null) log.info({}, "chain: node usable again");
      this.#trouble = null;
      return;
    }
    if (outcome.fault === "unproven") return;
    if (outcome.fault === "malformed") {
      this.#malformed.answers += 1;
      this.metrics.malformed("answers", 1);
    }
    if (outcome.fault !== this.#trouble)
      log.warn(
        { fault: outcome.fault, malformedAnswers: this.#malformed.answers },
        `chain: ${outcome.problem}`,
      );
    this.#trouble = outcome.fault;
  }
}
