/** What an exchange answered. `body` is its JSON; undefined where it sent none. */
export interface SourceAnswer {
  status: number;
  body: unknown;
}

/** The price of one bitcoin. */
export interface SourceQuote {
  /** Decimal string; null when the answer holds none that can be used. */
  price: string | null;
  /** When the source says that it was so; null when it does not say. */
  atMs: number | null;
}

/** A public price API: one GET without a key. */
export interface RateSource {
  baseUrl: string;
  /** Path and query for one bitcoin in the currency (ISO 4217). */
  path(currency: string): string;
  /** Whether the answer says that the pair is not traded there. */
  isNotTraded(answer: SourceAnswer, currency: string): boolean;
  /** Reads an answer with status 200. A zod error means that it has not the format that it should have. */
  read(body: unknown, currency: string): SourceQuote;
}
