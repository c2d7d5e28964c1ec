import { expect } from "chai";
import { paymentUri } from "../../../domain/invoice/payment-uri";

const address = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
const bolt11 = "lnbcrt1m1pj9";

describe("paymentUri", () => {
  it("is a BIP 21 URI with the amount in BTC, without trailing zeros or exponents", () => {
    expect(paymentUri({ address, amountSats: 10_000n, bolt11: null })).to.equal(
      `bitcoin:${address}?amount=0.0001`,
    );
    expect(paymentUri({ address, amountSats: 1_001n, bolt11: null })).to.equal(
      `bitcoin:${address}?amount=0.00001001`,
    );
    expect(paymentUri({ address, amountSats: 200_000_000n, bolt11: null })).to.equal(
      `bitcoin:${address}?amount=2`,
    );
  });

  it("carries the BOLT11 beside the address", () => {
    expect(paymentUri({ address, amountSats: 10_000n, bolt11 })).to.equal(
      `bitcoin:${address}?amount=0.0001&lightning=${bolt11}`,
    );
  });

  it("is a lightning URI when there is no address", () => {
    expect(paymentUri({ address: null, amountSats: 10_000n, bolt11 })).to.equal(`lightning:${bolt11}`);
  });

  it("asks for the dust limit of the address where less is due, also in capitals, and by Lightning for what is due", () => {
    const limits: [string, string][] = [
      [address, "0.00000294"],
      [address.toUpperCase(), "0.00000294"],
      ["bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr", "0.0000033"],
      ["3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", "0.0000054"],
      ["mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", "0.00000546"],
    ];
    for (const [to, amount] of limits)
      expect(paymentUri({ address: to, amountSats: 100n, bolt11: null })).to.equal(
        `bitcoin:${to}?amount=${amount}`,
      );
    expect(paymentUri({ address, amountSats: 294n, bolt11: null })).to.contain("amount=0.00000294");
    expect(paymentUri({ address: null, amountSats: 100n, bolt11 })).to.equal(`lightning:${bolt11}`);
  });

  it("has no amount when nothing is due", () => {
    expect(paymentUri({ address, amountSats: 0n, bolt11: null })).to.equal(`bitcoin:${address}`);
  });

  it("is null when there is no destination", () => {
    expect(paymentUri({ address: null, amountSats: 10_000n, bolt11: null })).to.equal(null);
  });
});
