/** A test compares them with the server's. */
export const RATE_SOURCES: Readonly<Record<string, string>> = {
  kraken: "Kraken",
  coinbase: "Coinbase",
  bitstamp: "Bitstamp",
  bitfinex: "Bitfinex",
  yadio: "Yadio",
};
