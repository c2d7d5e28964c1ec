/** An exchange's answer. `body` is its JSON; undefined if it sent none. */
export interface SourceAnswer {
  status: number;
  body: unknown;
}

/** The price of one bitcoin. */
export interface SourceQuote {
  /** Decimal string; null if the answer contains no usable price. */
  price: string | null;
  /** The source's time of the price; null if it gives none. */
  atMs: number | null;
}

/** A public price API: one GET without a key. */
export interface RateSource {
  baseUrl: string;
  /** One answer has all currencies. */
  isTable?: true;
  /** Path and query for one bitcoin in the currency (ISO 4217). */
  path(currency: string): string;
  /** Whether the answer says that the pair is not traded there. */
  isNotTraded(answer: SourceAnswer, currency: string): boolean;
  /** Reads an answer with status 200. A zod error means that its format is not the expected one. */
  read(body: unknown, currency: string): SourceQuote;
}
