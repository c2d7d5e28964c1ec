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

/** A complete check begins at least this often, with or without hints. */
export const TICK_MS = 5_000;
const TOUCH_MS = 5_000;
/** While catching up, confirmations are requested this often, and at the end. */
const CONFIRM_EVERY_MS = 1_000;
const AFTER_FAILURE_MS = 1_000;

/** Raw transactions that may wait; more are dropped, and a scan of the whole mempool finds them. */
const WAITING_MAX = 20_000;
const WAITING_BYTES_MAX = 64 * 1024 * 1024;
/** Taken at once, as of a mempool: blocks do not wait until all that somebody sends us is recorded. */
const TAKEN_AT_ONCE = 500;

/**
 * ZMQ's messages, until the loop has time for them. They are hints only: whatever is lost here, the next complete
 * check finds.
 */
export class ChainHints {
  readonly #rawTxs: Buffer[] = [];
  #bytes = 0;
  #check = false;
  #missed = false;
  #wake = (): void => undefined;

  transaction(raw: Buffer): void {
    if (this.#rawTxs.length >= WAITING_MAX || this.#bytes + raw.length > WAITING_BYTES_MAX)
      return this.miss();
    this.#rawTxs.push(raw);
    this.#bytes += raw.length;
    this.#wake();
  }

  /** Something was not received, or dropped: a complete check finds it. */
  miss(): void {
    this.#missed = true;
    this.check();
  }

  /** Requests a complete check. */
  check(): void {
    this.#check = true;
    this.#wake();
  }

  /** The oldest. */
  takeTransactions(): Buffer[] {
    const taken = this.#rawTxs.splice(0, TAKEN_AT_ONCE);
    for (const { length } of taken) this.#bytes -= length;
    return taken;
  }

  /** Whether something was missed since this was asked last. */
  takeMissed(): boolean {
    const taken = this.#missed;
    this.#missed = false;
    return taken;
  }

  takeCheck(): boolean {
    const taken = this.#check;
    this.#check = false;
    return taken;
  }

  /** Resolves when there is a hint, after `ms`, or when `signal` is aborted: whichever comes first. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#rawTxs.length > 0 || this.#check || ms <= 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", done);
      this.#wake = done;
    });
  }
}

export interface LoopParts {
  hints: ChainHints;
  metrics: Pick<ProcessMetrics, "malformed">;
}

/**
 * Leads until `signal` is aborted or the lease is lost: processes hints as they come, also between the chunks of a
 * complete check, which it makes every few seconds.
 */
export async function watchChain(
  watch: ChainWatch,
  beside: LoopParts,
  signal: AbortSignal,
  tickMs = TICK_MS,
): Promise<void> {
  const loop = new ChainLoop(watch, beside, signal, tickMs);
  let failure = "";
  while (!signal.aborted) {
    try {
      if (await loop.turn()) failure = "";
    } catch (error) {
      if (signal.aborted || error instanceof LeaseLostError) return;
      // The database is away, or there is a defect: nothing was half done, and all of it is retried. Logged
      // once.
      if (String(error) !== failure) watch.ctx.log.error({ err: error }, "chain: poll failed");
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
        await this.#goOn();
      },
      onWalked: () => this.#askToConfirm(),
      onChunk: () => this.#goOn(),
      onMalformed: (count) => metrics.malformed("transactions", count),
    };
  }

  /** The hints, and then a complete check if it is due or requested. Answers whether it made one. */
  async turn(): Promise<boolean> {
    await this.hints.wait(this.#nextCheckAt - performance.now(), this.signal);
    if (this.signal.aborted) return false;
    await this.#readTransactions();
    const asked = this.hints.takeCheck();
    this.#trustNoNewsAfterMiss();
    if (!asked && performance.now() < this.#nextCheckAt) return false;
    this.#nextCheckAt = performance.now() + this.tickMs;
    this.#touchedAt = performance.now();
    const outcome = await checkChain(this.watch, this.#view, this.#hooks);
    this.#logTrouble(outcome);
    return true;
  }

  /** One job covers all blocks up to this one. */
  async #askToConfirm(): Promise<void> {
    const height = this.#unconfirmed;
    if (height === null) return;
    this.#unconfirmed = null;
    await this.watch.ctx.enqueue("confirmations", [{ height }]);
    this.#confirmedAt = performance.now();
  }

  /** During a long check. */
  async #goOn(): Promise<void> {
    this.signal.throwIfAborted();
    await this.#readTransactions();
    await this.#showLife();
  }

  /** The row shows that the process is alive. */
  async #showLife(): Promise<void> {
    if (performance.now() - this.#touchedAt < TOUCH_MS) return;
    this.#touchedAt = performance.now();
    await reportLongCheck(this.watch.ctx);
  }

  #trustNoNewsAfterMiss(): void {
    if (this.hints.takeMissed()) noteMissed(this.#view);
  }

  /** Those that arrive while others are processed are read together. */
  async #readTransactions(): Promise<void> {
    this.#trustNoNewsAfterMiss();
    const raws = this.hints.takeTransactions();
    if (raws.length === 0) return;
    const detected = await hearTransactions(this.watch, this.#view, raws);
    if (detected?.contradicted === true) this.hints.check();
    if (detected === null || detected.malformed === 0) return;
    this.#malformed.transactions += detected.malformed;
    this.metrics.malformed("transactions", detected.malformed);
    this.watch.ctx.log.warn({ total: this.#malformed.transactions }, "chain: malformed transactions skipped");
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
