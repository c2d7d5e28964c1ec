import { expect } from "chai";
import { Decimal } from "decimal.js";
import fc from "fast-check";
import { isFiat, minorUnits } from "../../../domain/money/currencies";
import { DomainError } from "../../../domain/errors";
import { formatBtc, MAX_SATS, parseAmount, satsToFiat } from "../../../domain/money/money";

function refusal(run: () => unknown): DomainError {
  try {
    run();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

describe("currencies", () => {
  it("have the minor units of ISO 4217, and of bitcoin", () => {
    expect(
      ["USD", "EUR", "JPY", "ISK", "KWD", "TND", "CLF", "UYW", "BTC", "SATS"].map(minorUnits),
    ).to.deep.equal([2, 2, 0, 0, 3, 3, 4, 4, 8, 0]);
  });

  it("omit what is not money any more, has no minor unit, or never was", () => {
    for (const code of [
      "HRK",
      "DEM",
      "BGN",
      "ANG",
      "ZWL",
      "XAU",
      "XDR",
      "XXX",
      "XTS",
      "usd",
      "",
      "toString",
      "XBT",
    ])
      expect(minorUnits(code), code).to.equal(undefined);
  });

  it("distinguish fiat from bitcoin", () => {
    expect(["USD", "BTC", "SATS", "QQQ"].map(isFiat)).to.deep.equal([true, false, false, false]);
  });
});

describe("parseAmount", () => {
  it("accepts as many decimals as the currency has", () => {
    const taken: [string, string][] = [
      ["12.50", "USD"],
      ["0.01", "USD"],
      ["1200", "JPY"],
      ["1.234", "KWD"],
      ["0.00000001", "BTC"],
      ["21000000", "BTC"],
      ["2100000000000000", "SATS"],
      ["1", "SATS"],
    ];
    for (const [amount, currency] of taken)
      expect(parseAmount(amount, currency).toFixed()).to.equal(new Decimal(amount).toFixed());
  });

  it("refuses more decimals than the currency has, by name", () => {
    const refused: [string, string][] = [
      ["12.505", "USD"],
      ["1.0", "JPY"],
      ["1.0", "SATS"],
      ["0.000000001", "BTC"],
    ];
    for (const [amount, currency] of refused) {
      const error = refusal(() => parseAmount(amount, currency));
      expect(error.code).to.equal("validation-failed");
      expect(error.errors[0]?.pointer).to.equal("/amount");
      expect(error.message).to.match(/decimals/);
    }
  });

  it("refuses zero, signs, exponents, spaces, separators, other scripts and endless digits", () => {
    const refused = [
      "0",
      "0.00",
      "-1",
      "+1",
      "1e3",
      "1,50",
      " 1",
      "1 ",
      "1.",
      ".5",
      "01",
      "",
      "NaN",
      "0x10",
      "١٢",
    ];
    for (const amount of [...refused, "9".repeat(41), "1\n"])
      expect(refusal(() => parseAmount(amount, "USD")).errors[0]?.pointer, amount).to.equal("/amount");
  });

  it("refuses more than 21,000,000 BTC, in either unit", () => {
    for (const [amount, currency] of [
      ["21000000.00000001", "BTC"],
      ["2100000000000001", "SATS"],
    ] as const)
      expect(refusal(() => parseAmount(amount, currency)).message).to.match(/21,000,000 BTC/);
  });

  it("refuses an unknown currency at /currency", () => {
    for (const currency of ["XYZ", "usd", "XAU", ""])
      expect(refusal(() => parseAmount("1", currency)).errors[0]?.pointer).to.equal("/currency");
  });
});

describe("formatBtc", () => {
  it("writes sats as BTC without trailing zeros or exponents", () => {
    expect([1n, 10_000n, 100_000_000n, 123_456_789n, 0n, MAX_SATS].map(formatBtc)).to.deep.equal([
      "0.00000001",
      "0.0001",
      "1",
      "1.23456789",
      "0",
      "21000000",
    ]);
  });

  it("is reversed by parsing, for every number of sats", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: MAX_SATS }), (sats) => {
        const read = parseAmount(formatBtc(sats), "BTC");
        expect(BigInt(read.times(100_000_000).toFixed())).to.equal(sats);
      }),
    );
  });
});

describe("satsToFiat", () => {
  it("has all digits of the currency, rounded half up", () => {
    expect(satsToFiat(100_000n, "60000", "USD")).to.equal("60.00");
    expect(satsToFiat(1n, "500000", "USD")).to.equal("0.01");
    expect(satsToFiat(1n, "499999", "USD")).to.equal("0.00");
    expect(satsToFiat(12_345n, "9000000.5", "JPY")).to.equal("1111");
    expect(satsToFiat(100_000n, "20000", "KWD")).to.equal("20.000");
  });
});
