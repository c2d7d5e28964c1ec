import { expect } from "chai";
import { Decimal } from "decimal.js";
import fc from "fast-check";
import { dueSats } from "../../../domain/invoice/pricing";
import { agreeOnPrice, midPrice, readPrice, withSpread, type SourcePrice } from "../../../domain/money/rate";

const said = (...prices: string[]): SourcePrice[] =>
  prices.map((price, index) => ({ source: `s${index}`, price }));

/** The largest amounts have more digits than the library's twenty. */
const Exact = Decimal.clone({ precision: 60 });
/** Cents. */
const price = fc.integer({ min: 100, max: 100_000_000_000 }).map((cents) => (cents / 100).toFixed(2));
const spread = fc.integer({ min: 0, max: 999_999 }).map((parts) => (parts / 10_000).toFixed(4));

describe("a price of a source", () => {
  it("is a plain decimal, as text or number, from 1 to 10^15", () => {
    const taken: [unknown, string][] = [
      ["82999.00000", "82999"],
      ["1", "1"],
      [82_965.5, "82965.5"],
      ["1000000000000000", "1000000000000000"],
    ];
    for (const [value, expected] of taken) expect(readPrice(value)).to.equal(expected);
  });

  for (const value of [
    "0",
    0,
    "0.00",
    "-1",
    -1,
    "0.99",
    "NaN",
    NaN,
    Infinity,
    1e16,
    1e300,
    "1e5",
    "1000000000000000.01",
    "9".repeat(400),
    "",
    " 1",
    "1,5",
    "1\n",
    null,
    undefined,
    true,
    ["60000"],
    {},
  ])
    it(`is refused: ${JSON.stringify(value)?.slice(0, 30)} (${typeof value})`, () => {
      expect(readPrice(value)).to.equal(null);
    });

  it("is half-way between bid and ask, without an error of binary fractions", () => {
    expect(midPrice("82998.90000", "82999.00000")).to.equal("82998.95");
    expect(midPrice(60_000, 60_000)).to.equal("60000");
  });

  it("is null when the bid exceeds the ask, or one side is missing", () => {
    expect(midPrice("60001", "60000")).to.equal(null);
    expect(midPrice("60000", undefined)).to.equal(null);
    expect(midPrice("0", "60000")).to.equal(null);
  });
});

describe("sources", () => {
  it("agree on the median: the middle one, or half-way between the middle two", () => {
    expect(agreeOnPrice(said("100", "101", "99"))).to.deep.equal({
      price: "100",
      sources: ["s0", "s1", "s2"],
    });
    expect(agreeOnPrice(said("100", "101"))).to.deep.equal({ price: "100.5", sources: ["s0", "s1"] });
  });

  it("are excluded when they are more than 2 % from the median, and not at 2 %", () => {
    expect(agreeOnPrice(said("100", "100", "102"))?.sources).to.have.length(3);
    expect(agreeOnPrice(said("100", "100", "102.01"))).to.deep.equal({ price: "100", sources: ["s0", "s1"] });
    expect(agreeOnPrice(said("100", "100", "97.99"))).to.deep.equal({ price: "100", sources: ["s0", "s1"] });
    expect(agreeOnPrice(said("100", "100", "100", "1000000"))?.price).to.equal("100");
  });

  it("agree on nothing when they are fewer than two, or when two are far apart", () => {
    expect(agreeOnPrice([])).to.equal(null);
    expect(agreeOnPrice(said("100"))).to.equal(null);
    expect(agreeOnPrice(said("100", "105"))).to.equal(null);
    expect(agreeOnPrice(said("100", "10", "1000"))).to.equal(null);
    expect(agreeOnPrice(said("100", "100", "200", "200"))).to.equal(null);
  });

  it("agree on the same price in whatever order they are asked", () => {
    fc.assert(
      fc.property(
        fc
          .array(price, { minLength: 1, maxLength: 7 })
          .chain((all) =>
            fc.tuple(fc.constant(said(...all)), fc.shuffledSubarray(said(...all), { minLength: all.length })),
          ),
        ([given, shuffled]) => {
          const [one, other] = [agreeOnPrice(given), agreeOnPrice(shuffled)];
          expect(one?.price).to.equal(other?.price);
          expect(one?.sources.sort()).to.deep.equal(other?.sources.sort());
        },
      ),
    );
  });

  it("never agree on a price that no two of them are near, nor outside of their range", () => {
    fc.assert(
      fc.property(fc.array(price, { maxLength: 7 }), (all) => {
        const given = said(...all);
        const agreed = agreeOnPrice(given);
        if (agreed === null) return;
        const kept = given
          .filter(({ source }) => agreed.sources.includes(source))
          .map((one) => Number(one.price));
        expect(kept.length).to.be.at.least(2);
        expect(Number(agreed.price)).to.be.within(Math.min(...kept), Math.max(...kept));
        expect(Math.max(...kept) / Math.min(...kept)).to.be.at.most(1.02 / 0.98 + 1e-9);
      }),
    );
  });

  it("that lie and are fewer than half can neither remove the price nor move it by more than 2 %", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 1_000_000 }),
        fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 2, maxLength: 5 }),
        fc.array(price, { maxLength: 4 }),
        (base, honestParts, lies) => {
          const honest = honestParts.map((part) => base * (1 + part / 10_000)); // within 1 %
          const liars = lies.slice(0, honest.length - 1);
          const agreed = agreeOnPrice(said(...honest.map((one) => one.toFixed(4)), ...liars));
          expect(agreed).not.to.equal(null);
          expect(Number(agreed?.price)).to.be.within(
            Math.min(...honest) * 0.98 - 0.001,
            Math.max(...honest) * 1.02 + 0.001,
          );
        },
      ),
    );
  });
});

describe("a store's spread", () => {
  it("makes a bitcoin count for less, so that more sats are due", () => {
    expect(withSpread("60000", "0.0000")).to.equal("60000");
    expect(withSpread("60000", "1.5000")).to.equal("59100");
    expect(dueSats("10.00", "USD", withSpread("60000", "0"))).to.equal(16_667n);
    expect(dueSats("10.00", "USD", withSpread("60000", "50"))).to.equal(33_334n);
  });

  it("rounds the rate down to 15 digits", () => {
    expect(withSpread("12345.678901234", "0.3333")).to.equal("12304.5307534561");
  });

  it("never makes less due, nor less than the price is worth, for any price, rate and spread", () => {
    fc.assert(
      fc.property(price, price, spread, (amount, rate, percent) => {
        const value = withSpread(rate, percent);
        const exact = new Exact(amount).times(1e8).dividedBy(value);
        fc.pre(exact.lte("2.1e15"));
        const due = dueSats(amount, "USD", value);
        expect(due >= dueSats(amount, "USD", rate)).to.equal(true);
        expect(exact.lte(due.toString())).to.equal(true);
        expect(exact.plus(1).gt(due.toString())).to.equal(true);
      }),
      { examples: [["999999997.52", "999999997.51", "99.9990"]] },
    );
  });

  it("is refused outside of 0 to below 100 per cent", () => {
    for (const percent of ["-0.1", "100", "101"])
      expect(() => withSpread("60000", percent), percent).to.throw(RangeError);
  });
});
