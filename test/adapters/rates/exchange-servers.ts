import { makeProcessMetrics } from "../../../adapters/metrics/process-metrics";
import { readFileSync } from "node:fs";
import path from "node:path";
import { makeExchangeRates } from "../../../adapters/rates/exchanges";
import type { RatesPort } from "../../../commands/ports";
import { RATE_SOURCES, type RateSourceName } from "../../../domain/money/rate-sources";
import { recordingLog, type LogLine } from "../../support/context";
import { startReceiver, type Answer } from "../../support/receiver";

const FIXTURES = path.join(__dirname, "../../fixtures/rates");
export const recorded = (name: string): string => readFileSync(path.join(FIXTURES, `${name}.json`), "utf8");

/** Within a minute of the times in the recorded answers. */
const RECORDED_MS = 1_763_714_410_000;

/** No source misses it because the machine is busy. */
const PATIENT_MS = 60_000;

const PATHS: Record<RateSourceName, (currency: string) => string> = {
  kraken: (currency) => `/0/public/Ticker?pair=XBT${currency}`,
  coinbase: (currency) => `/v2/prices/BTC-${currency}/spot`,
  bitstamp: (currency) => `/api/v2/ticker/btc${currency.toLowerCase()}/`,
  bitfinex: (currency) => `/v2/ticker/tBTC${currency}`,
  yadio: () => "/exrates/BTC",
};

export const json = (body: string, status = 200): Answer => ({
  kind: "status",
  status,
  body,
  headers: { "Content-Type": "application/json; charset=utf-8" },
});

/** What each source answers for a pair that it does not trade. */
const NOT_TRADED: Record<RateSourceName, Answer> = {
  kraken: json(recorded("kraken-unknown-pair")),
  coinbase: json(recorded("coinbase-unknown-pair"), 404),
  bitstamp: {
    kind: "status",
    status: 404,
    body: "<h1>Not found</h1>",
    headers: { "Content-Type": "text/html" },
  },
  bitfinex: json(recorded("bitfinex-unknown-pair"), 500),
  yadio: json(recorded("yadio")),
};

export const answering = (source: RateSourceName, price: string, currency = "USD"): Answer => {
  const bodies: Record<RateSourceName, unknown> = {
    kraken: {
      error: [],
      result: { [`XBT${currency}`]: { a: [price, "1", "1.000"], b: [price, "1", "1.000"] } },
    },
    coinbase: { data: { amount: price, base: "BTC", currency } },
    bitstamp: { timestamp: String(Math.floor(RECORDED_MS / 1_000)), bid: price, ask: price },
    bitfinex: [Number(price), 1, Number(price), 1, 0, 0, Number(price), 1, 1, 1],
    yadio: { BTC: { [currency]: Number(price) }, base: "BTC", timestamp: RECORDED_MS },
  };
  return json(JSON.stringify(bodies[source]));
};

export interface Exchanges {
  rates: RatesPort;
  lines: LogLine[];
  answer(source: RateSourceName, answer: Answer, currency?: string): void;
  /** Every source says this. */
  allAnswer(price: string, currency?: string): void;
  asked(source: RateSourceName, currency?: string): number;
  /** All requests to the source. */
  requests(source: RateSourceName): number;
  headersTo(source: RateSourceName): Record<string, string> | undefined;
  /** Moves the clock on. */
  pass(seconds: number): void;
  close(): Promise<void>;
}

/**
 * Servers that answer like the exchanges, and the adapter that queries them. They trade nothing until a test sets a
 * price.
 */
export async function startExchanges(
  options: { sources?: readonly RateSourceName[]; deadlineMs?: number | "default" } = {},
): Promise<Exchanges> {
  const { sources = RATE_SOURCES, deadlineMs = PATIENT_MS } = options;
  const { log, lines } = recordingLog();
  const servers = new Map(
    await Promise.all(RATE_SOURCES.map(async (name) => [name, await startReceiver()] as const)),
  );
  const of = (name: RateSourceName) => {
    const server = servers.get(name);
    if (server === undefined) throw new Error(`no server for ${name}`);
    return server;
  };
  let nowMs = RECORDED_MS;
  const rates = makeExchangeRates({
    sources,
    userAgent: "Quittance/test",
    log,
    metrics: makeProcessMetrics({ worker: "api", instanceId: "test" }),
    baseUrls: Object.fromEntries(RATE_SOURCES.map((name) => [name, of(name).url])),
    ...(deadlineMs === "default" ? {} : { deadlineMs }),
    nowMs: () => nowMs,
  });
  const answer: Exchanges["answer"] = (source, given, currency = "USD") =>
    of(source).answer(PATHS[source](currency), given);
  for (const name of RATE_SOURCES)
    for (const currency of ["USD", "EUR", "CHF", "SEK"]) answer(name, NOT_TRADED[name], currency);
  return {
    rates,
    lines,
    answer,
    allAnswer: (price, currency = "USD") => {
      for (const name of RATE_SOURCES) answer(name, answering(name, price, currency), currency);
    },
    asked: (source, currency = "USD") => of(source).at(PATHS[source](currency)).length,
    requests: (source) => of(source).requests.length,
    headersTo: (source) => of(source).requests[0]?.headers,
    pass: (seconds) => void (nowMs += seconds * 1_000),
    close: async () => void (await Promise.all([...servers.values()].map((server) => server.close()))),
  };
}
