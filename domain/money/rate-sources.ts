/** Public price APIs that need no key. */
export const RATE_SOURCES = ["kraken", "coinbase", "bitstamp", "bitfinex", "yadio"] as const;
export type RateSourceName = (typeof RATE_SOURCES)[number];

/** A price exists only if this many sources agree on it. */
export const RATE_QUORUM = 2;
