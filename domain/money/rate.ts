import { Decimal } from "decimal.js";
import { DomainError } from "../errors";
import { RATE_QUORUM } from "./rate-sources";

const Exact = Decimal.clone({ precision: 60, toExpNeg: -60, toExpPos: 60 });

export interface SourcePrice {
  source: string;
  /** Decimal string above 0. */
  price: string;
}

/** From the median of all. */
const OUTLIER_PERCENT = 2;
/** Enough for every real price, and within the precision of a `numeric`. */
const SIGNIFICANT_DIGITS = 15;
const PLAIN_DECIMAL = /^\d{1,16}(?:\.\d{1,20})?$/;
const MOST = "1e15";

/**
 * `away`: the sources do not answer or disagree; `waiting`: this minute's number of new pairs is used up;
 * `not-traded`: too few trade the currency.
 */
export class RateUnavailableError extends DomainError {
  constructor(
    message: string,
    readonly why: "away" | "waiting" | "not-traded",
  ) {
    super("rate-unavailable", message);
  }
}

/** From text or number; null below 1, infinite, too large, or not a number. */
export function readPrice(value: unknown): string | null {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || !PLAIN_DECIMAL.test(text)) return null;
  const price = new Exact(text);
  return price.gte(1) && price.lte(MOST) ? price.toFixed() : null;
}

/** Null if one of them is not a price, or the bid is above the ask. */
export function midPrice(bid: unknown, ask: unknown): string | null {
  const [low, high] = [readPrice(bid), readPrice(ask)];
  if (low === null || high === null || new Exact(low).gt(high)) return null;
  return new Exact(low).plus(high).dividedBy(2).toFixed();
}

function median(prices: readonly Decimal[]): Decimal {
  const sorted = [...prices].sort((a, b) => a.comparedTo(b));
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new RangeError("there is no median of nothing");
  return lower.plus(upper).dividedBy(2);
}

/**
 * The median of the prices within 2 % of the median of all, if they are at least two; else null. So a
 * minority that lies can neither move the price by more than 2 % nor remove it.
 */
export function agreeOnPrice(given: readonly SourcePrice[]): { price: string; sources: string[] } | null {
  if (given.length < RATE_QUORUM) return null;
  const all = given.map(({ source, price }) => ({ source, price: new Exact(price) }));
  const middle = median(all.map(({ price }) => price));
  const kept = all.filter(({ price }) =>
    price.minus(middle).abs().times(100).lte(middle.times(OUTLIER_PERCENT)),
  );
  if (kept.length < RATE_QUORUM) return null;
  return {
    price: median(kept.map(({ price }) => price)).toFixed(),
    sources: kept.map(({ source }) => source),
  };
}

/**
 * Rounded down to 15 digits: a bitcoin then counts for less, so that more sats are due.
 * @param spread percent, decimal string, 0 ≤ s < 100.
 */
export function withSpread(price: string, spread: string): string {
  const percent = new Exact(spread);
  if (!(percent.gte(0) && percent.lt(100)))
    throw new RangeError("A spread is at least 0 and below 100 percent.");
  const kept = new Exact(100).minus(percent).dividedBy(100);
  return new Exact(price).times(kept).toSignificantDigits(SIGNIFICANT_DIGITS, Decimal.ROUND_DOWN).toFixed();
}
