import { expect } from "chai";
import { makeFixedRates } from "../../adapters/rates/fixed";
import { parseRatesSources } from "../../config/rates-sources";
import { DomainError } from "../../domain/errors";

describe("fixed rates", () => {
  it("are read as the settings split them, with the digits as written", () => {
    expect(parseRatesSources(["fixed:USD=60000", "JPY=9000000.50"])).to.deep.equal({
      kind: "fixed",
      rates: new Map([
        ["USD", "60000"],
        ["JPY", "9000000.50"],
      ]),
    });
  });

  it("do not exist when exchanges are configured", () => {
    expect(parseRatesSources(["kraken", "coinbase"]).kind).to.equal("exchanges");
  });

  for (const text of [
    "fixed:",
    "fixed:USD",
    "fixed:USD=0",
    "fixed:USD=-1",
    "fixed:BTC=1",
    "fixed:XXZ=1",
    "fixed:usd=1",
  ])
    it(`refuse ${text}`, () => {
      expect(() => parseRatesSources([text])).to.throw(RangeError, text.slice("fixed:".length));
    });

  it("are quoted with their source and time, and are unavailable for other currencies", async () => {
    const rates = makeFixedRates(new Map([["USD", "60000"]]));
    const before = Date.now();
    const quote = await rates.quote("USD");
    expect(quote).to.include({ value: "60000" });
    expect(quote.sources).to.deep.equal(["fixed"]);
    expect(Date.parse(quote.at)).to.be.within(before, Date.now());
    const refusal = await rates.quote("EUR").catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(DomainError).with.property("code", "rate-unavailable");
  });
});
