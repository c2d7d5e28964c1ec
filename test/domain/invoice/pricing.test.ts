import { expect } from "chai";
import { Decimal } from "decimal.js";
import fc from "fast-check";
import { DomainError } from "../../../domain/errors";
import { dueSats, minDueSats } from "../../../domain/invoice/pricing";
import { MAX_SATS } from "../../../domain/money/money";

const Wide = Decimal.clone({ precision: 200 });

describe("dueSats", () => {
  it("takes sats and BTC without a rate", () => {
    expect(dueSats("1500", "SATS", null)).to.equal(1_500n);
    expect(dueSats("0.0001", "BTC", null)).to.equal(10_000n);
    expect(dueSats("21000000", "BTC", null)).to.equal(MAX_SATS);
  });

  it("rounds fiat up to a whole sat", () => {
    expect(dueSats("60.00", "USD", "60000")).to.equal(100_000n);
    expect(dueSats("0.01", "USD", "60000")).to.equal(17n);
    expect(dueSats("100", "JPY", "9999999.99")).to.equal(1_001n);
    expect(dueSats("0.01", "USD", "100000000")).to.equal(1n);
  });

  it("is the least number of sats that is worth the amount, for every amount and rate", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000_00 }),
        fc.bigInt({ min: 1_0000n, max: 10_000_000_0000n }),
        (cents, scaledRate) => {
          const amount = new Wide(cents).dividedBy(100).toFixed(2);
          const rate = new Wide(scaledRate.toString()).dividedBy(10_000).toFixed();
          const worth = (sats: bigint) => new Wide(sats.toString()).times(rate).dividedBy(100_000_000);
          const due = dueSats(amount, "USD", rate);
          expect(worth(due).gte(amount)).to.equal(true);
          expect(worth(due - 1n).lt(amount)).to.equal(true);
        },
      ),
    );
  });

  it("refuses a fiat price above 21,000,000 BTC at /amount", () => {
    expect(dueSats("21000000", "USD", "1")).to.equal(MAX_SATS);
    expect(() => dueSats("21000000.01", "USD", "1"))
      .to.throw(DomainError)
      .with.deep.property("errors", [{ pointer: "/amount", message: "Must be at most 21,000,000 BTC." }]);
  });

  it("passes parsing errors on", () => {
    expect(() => dueSats("0", "SATS", null)).to.throw(DomainError);
    expect(() => dueSats("1", "XYZ", "1")).to.throw(DomainError);
  });

  it("treats a fiat price without a rate above 0 as a defect, not as the merchant's mistake", () => {
    for (const rate of [null, "0", "-1", "NaN", "Infinity"])
      expect(() => dueSats("1", "USD", rate)).to.throw(RangeError);
  });
});

describe("minDueSats", () => {
  it("is due less the tolerance, rounded up", () => {
    expect(minDueSats(100_000n, "0")).to.equal(100_000n);
    expect(minDueSats(100_000n, "10")).to.equal(90_000n);
    expect(minDueSats(999n, "0.5")).to.equal(995n);
    expect(minDueSats(1n, "99.9999")).to.equal(1n);
    expect(minDueSats(MAX_SATS, "0.0001")).to.equal(MAX_SATS - 2_100_000_000n);
  });

  it("is never below the exact share, never a whole sat above it, and at least 1", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: MAX_SATS }),
        fc.integer({ min: 0, max: 999_999 }),
        (due, tenThousandths) => {
          const tolerance = new Wide(tenThousandths).dividedBy(10_000);
          const exact = new Wide(due.toString()).times(new Wide(100).minus(tolerance)).dividedBy(100);
          const least = new Wide(minDueSats(due, tolerance.toFixed(4)).toString());
          expect(
            least.gte(exact) && least.minus(exact).lt(1) && least.gte(1) && least.lte(due.toString()),
          ).to.equal(true);
        },
      ),
    );
  });

  it("treats a tolerance outside of 0 ≤ t < 100 as a defect", () => {
    for (const tolerance of ["-0.1", "100", "NaN", "Infinity"])
      expect(() => minDueSats(1n, tolerance)).to.throw(RangeError);
  });
});
