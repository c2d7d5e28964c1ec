/** The public price APIs that can be asked without a key. Each has its reader in adapters/rates. */
export const RATE_SOURCES = ["kraken", "coinbase", "bitstamp", "bitfinex", "yadio"] as const;
export type RateSourceName = (typeof RATE_SOURCES)[number];

/** So many sources must agree on a price, or there is none. */
export const RATE_QUORUM = 2;
