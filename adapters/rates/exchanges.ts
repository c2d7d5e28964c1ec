import type { Log, RateQuote, RatesPort } from "../../commands/ports";
import { agreeOnPrice, RateUnavailableError } from "../../domain/money/rate";
import { RATE_QUORUM, type RateSourceName } from "../../domain/money/rate-sources";
import type { ProcessMetrics } from "../metrics/process-metrics";
import { fetchAnswer, readAnswer, SourceError, type TimedAnswer } from "./ask-source";
import { bitfinex } from "./bitfinex";
import { bitstamp } from "./bitstamp";
import { coinbase } from "./coinbase";
import { kraken } from "./kraken";
import type { RateSource } from "./source";
import { makeSourceBudget, refreshAfterMs, type SourceBudget } from "./source-budget";
import { makeSourceHealth, type SourceHealth } from "./source-health";
import { yadio } from "./yadio";

const SOURCES: Readonly<Record<RateSourceName, RateSource>> = { kraken, coinbase, bitstamp, bitfinex, yadio };

const AGE_LIMIT_MS = 300_000;
const REFRESH_AFTER_MS = 30_000;
/** Concurrent: no caller waits longer. */
const DEADLINE_MS = 2_500;
/** Below the pause after a failure: a failed answer is not used again. */
const TABLE_KEPT_MS = 4_000;
/** Sources rarely change their pairs. */
const NOT_TRADED_MS = 3_600_000;

export interface ExchangeRatesOptions {
  sources: readonly RateSourceName[];
  userAgent: string;
  log: Log;
  metrics: Pick<ProcessMetrics, "price" | "noPrice">;
  baseUrls?: Partial<Record<RateSourceName, string>>;
  deadlineMs?: number;
  nowMs?: () => number;
}

interface Pair {
  source: RateSourceName;
  last: { price: string; atMs: number } | null;
  answeredMs: number;
  /** Wanted while this minute's requests were used up. */
  waits: boolean;
  notTradedUntilMs: number;
  health: SourceHealth;
}

/** In the future: our clock was set back, and the age is unknown. */
const isUsable = (atMs: number, nowMs: number): boolean => Math.abs(nowMs - atMs) <= AGE_LIMIT_MS;

const usablePrice = ({ last }: Pair, nowMs: number): Pair["last"] =>
  last !== null && isUsable(last.atMs, nowMs) ? last : null;

/** A process's own cache. Above `REFRESH_AFTER_MS` a price is served and refreshed, above `AGE_LIMIT_MS` not served. */
class ExchangeRates implements RatesPort {
  readonly sources: readonly RateSourceName[];
  readonly #pairs = new Map<string, Pair[]>();
  readonly #refreshes = new Map<string, Promise<void>>();
  readonly #health: ReadonlyMap<RateSourceName, SourceHealth>;
  readonly #budgets: ReadonlyMap<RateSourceName, SourceBudget>;
  readonly #tables = new Map<RateSourceName, { askedMs: number; answer: Promise<TimedAnswer> }>();
  readonly #nowMs: () => number;

  constructor(readonly options: ExchangeRatesOptions) {
    this.sources = options.sources;
    this.#nowMs = options.nowMs ?? Date.now;
    this.#health = new Map(options.sources.map((name) => [name, makeSourceHealth()]));
    this.#budgets = new Map(options.sources.map((name) => [name, makeSourceBudget()]));
  }

  async quote(currency: string, only: readonly string[] | null = null): Promise<RateQuote> {
    const refresh = this.#refresh(currency);
    const known = this.#agreed(currency, only);
    if (known !== null) return known;
    await refresh;
    const fresh = this.#agreed(currency, only);
    if (fresh !== null) return fresh;
    throw this.#refusal(currency, only);
  }

  #pairsOf(currency: string): Pair[] {
    const known = this.#pairs.get(currency);
    if (known !== undefined) return known;
    const pairs = this.sources.map((source) => ({
      source,
      last: null,
      answeredMs: -Infinity,
      waits: false,
      notTradedUntilMs: -Infinity,
      health: makeSourceHealth(),
    }));
    this.#pairs.set(currency, pairs);
    return pairs;
  }

  #wanted(currency: string, only: readonly string[] | null): Pair[] {
    return this.#pairsOf(currency).filter(({ source }) => only === null || only.includes(source));
  }

  #agreed(currency: string, only: readonly string[] | null): RateQuote | null {
    const nowMs = this.#nowMs();
    const usable = this.#wanted(currency, only).flatMap((pair) => {
      const price = usablePrice(pair, nowMs);
      return price === null ? [] : [{ source: pair.source, ...price }];
    });
    const agreed = agreeOnPrice(usable);
    if (agreed === null) return null;
    const used = usable.filter(({ source }) => agreed.sources.includes(source));
    const atMs = Math.min(...used.map((one) => one.atMs));
    return {
      value: agreed.price,
      sources: agreed.sources,
      at: new Date(atMs).toISOString(),
      ageSeconds: Math.max(0, Math.floor((nowMs - atMs) / 1_000)),
    };
  }

  /** Once for all waiting callers. Never rejects. */
  #refresh(currency: string): Promise<void> {
    const running = this.#refreshes.get(currency);
    if (running !== undefined) return running;
    const nowMs = this.#nowMs();
    const pairs = this.#pairsOf(currency);
    for (const pair of pairs) pair.waits = false;
    const asked = pairs.filter((pair) => this.#mayAsk(pair, nowMs) && this.#takeRequest(pair, nowMs));
    if (asked.length === 0) return Promise.resolve();
    const started = Promise.all(asked.map((pair) => this.#ask(pair, currency)))
      .then(() => undefined)
      .finally(() => this.#refreshes.delete(currency));
    this.#refreshes.set(currency, started);
    return started;
  }

  #mayAsk({ source, answeredMs, notTradedUntilMs, health }: Pair, nowMs: number): boolean {
    const wanted = Math.abs(nowMs - answeredMs) > REFRESH_AFTER_MS && nowMs >= notTradedUntilMs;
    return wanted && health.mayAsk(nowMs) && this.#health.get(source)?.mayAsk(nowMs) === true;
  }

  /** The more pairs, the rarer. Those with a price do not compete with new ones. */
  #takeRequest(pair: Pair, nowMs: number): boolean {
    const { source, answeredMs } = pair;
    if (SOURCES[source].isTable === true) return true;
    const budget = this.#budgets.get(source);
    if (usablePrice(pair, nowMs) === null) {
      pair.waits = budget?.take(pair.last === null ? "new" : "refresh", nowMs) !== true;
      return !pair.waits;
    }
    const inUse = [...this.#pairs.values()]
      .flat()
      .filter((one) => one.source === source && usablePrice(one, nowMs) !== null);
    const isDue = Math.abs(nowMs - answeredMs) > refreshAfterMs(inUse.length, REFRESH_AFTER_MS);
    return isDue && budget?.take("refresh", nowMs) === true;
  }

  /** A table serves all currencies. */
  #fetch(source: RateSourceName, currency: string): Promise<TimedAnswer> {
    const { userAgent, baseUrls, deadlineMs = DEADLINE_MS } = this.options;
    const baseUrl = baseUrls?.[source] ?? SOURCES[source].baseUrl;
    const nowMs = this.#nowMs();
    const table = this.#tables.get(source);
    if (table !== undefined && Math.abs(nowMs - table.askedMs) <= TABLE_KEPT_MS) return table.answer;
    const answer = fetchAnswer(SOURCES[source], currency, { baseUrl, userAgent, deadlineMs });
    if (SOURCES[source].isTable === true) this.#tables.set(source, { askedMs: nowMs, answer });
    return answer;
  }

  async #ask(pair: Pair, currency: string): Promise<void> {
    const { source } = pair;
    try {
      const { price, atMs } = readAnswer(SOURCES[source], currency, await this.#fetch(source, currency));
      const nowMs = this.#nowMs();
      const pricedAtMs = Math.min(nowMs, atMs ?? nowMs);
      if (!isUsable(pricedAtMs, nowMs)) throw new SourceError("unusable", "price too old");
      pair.last = { price, atMs: pricedAtMs };
      pair.answeredMs = nowMs;
      this.options.metrics.price(source, currency, pricedAtMs);
      const ended = pair.health.succeed() + (this.#health.get(source)?.succeed() ?? 0);
      if (ended > 0) this.options.log.info({ source, currency }, "rates: source recovered");
    } catch (error) {
      this.#note(pair, currency, error);
    }
  }

  /** A pair without a good price must not affect the source's others. */
  #note(pair: Pair, currency: string, error: unknown): void {
    const { source } = pair;
    const nowMs = this.#nowMs();
    if (error instanceof SourceError && error.fault === "not-traded") {
      pair.notTradedUntilMs = nowMs + NOT_TRADED_MS;
      pair.last = null;
      this.#health.get(source)?.succeed();
      return;
    }
    this.options.metrics.noPrice(source, currency);
    const away = error instanceof SourceError && error.fault === "away";
    const health = away ? this.#health.get(source) : pair.health;
    const failures = health?.fail(nowMs, error instanceof SourceError ? error.retryAfterMs : 0);
    const why = error instanceof SourceError ? { reason: error.message } : { err: error };
    if (failures === 1) this.options.log.warn({ source, currency, ...why }, "rates: source failed");
  }

  #refusal(currency: string, only: readonly string[] | null): RateUnavailableError {
    const nowMs = this.#nowMs();
    const trading = this.#wanted(currency, only).filter((pair) => nowMs >= pair.notTradedUntilMs);
    if (trading.length < RATE_QUORUM)
      return new RateUnavailableError(
        `Fewer than ${RATE_QUORUM} of the exchange-rate sources in use trade bitcoin for ${currency}. Use another currency, BTC or SATS.`,
        "not-traded",
      );
    const hopeful = trading.filter((pair) => pair.waits || usablePrice(pair, nowMs) !== null);
    if (trading.some(({ waits }) => waits) && hopeful.length >= RATE_QUORUM)
      return new RateUnavailableError(
        `No exchange rate for ${currency} yet: this server has requested as many new currencies as it may in a minute. Try again in a minute, or use BTC or SATS.`,
        "waiting",
      );
    return new RateUnavailableError(
      `No exchange rate for ${currency} now: fewer than ${RATE_QUORUM} sources answer and agree. Try again in a minute, or use BTC or SATS.`,
      "away",
    );
  }
}

/** The median of those that agree, at least two, none older than five minutes. */
export function makeExchangeRates(options: ExchangeRatesOptions): RatesPort {
  return new ExchangeRates(options);
}
