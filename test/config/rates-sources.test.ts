import { expect } from "chai";
import { parseRatesSources } from "../../config/rates-sources";
import { ConfigError, parseConfig } from "../../config/load";

const environment = (RATES_SOURCES: string) => ({
  DATABASE_URL: "postgres://127.0.0.1/quittance",
  NETWORK: "regtest",
  PUBLIC_URL: "http://127.0.0.1:3000",
  APP_SECRET: "x".repeat(32),
  RATES_SOURCES,
});

describe("RATES_SOURCES", () => {
  it("names exchanges, each once", () => {
    expect(parseRatesSources(["kraken", "coinbase", "kraken"])).to.deep.equal({
      kind: "exchanges",
      names: ["kraken", "coinbase"],
    });
  });

  it("accepts fixed rates", () => {
    expect(parseRatesSources(["fixed:USD=60000"])).to.deep.equal({
      kind: "fixed",
      rates: new Map([["USD", "60000"]]),
    });
  });

  it("has at least four sources by default", () => {
    expect(parseConfig(environment("")).RATES_SOURCES.length).to.be.at.least(4);
  });

  for (const [what, value, words] of [
    ["a source that there is not", "kraken,krakan", 'names "krakan"'],
    ["a fixed rate among exchanges", "kraken,fixed:USD=60000", 'names "fixed:USD=60000"'],
    ["one source, which cannot agree with anybody", "kraken", "at least 2 sources"],
    ["one source twice", "kraken,kraken", "at least 2 sources"],
    ["a fixed rate that is none", "fixed:USD=0", "not a fixed rate"],
  ] as const)
    it(`refuses ${what} at the start`, () => {
      expect(() => parseConfig(environment(value)))
        .to.throw(ConfigError, words)
        .with.property("problems")
        .with.length(1);
    });
});
