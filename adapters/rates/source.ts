/** `body`: JSON; undefined if none. */
export interface SourceAnswer {
  status: number;
  body: unknown;
}

export interface SourceQuote {
  /** Decimal string; null: not usable. */
  price: string | null;
  /** The source's; null: none. */
  atMs: number | null;
}

export interface RateSource {
  baseUrl: string;
  /** A single answer has all currencies. */
  isTable?: true;
  path(currency: string): string;
  isNotTraded(answer: SourceAnswer, currency: string): boolean;
  /** At status 200. A zod error: an unexpected format. */
  read(body: unknown, currency: string): SourceQuote;
}
