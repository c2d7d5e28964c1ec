import { expect } from "chai";
import { paymentUri } from "../../../domain/invoice/payment-uri";

const address = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
const bolt11 = "lnbcrt1m1pj9";

describe("paymentUri", () => {
  it("is a BIP 21 URI with the amount in BTC, without trailing zeros or exponents", () => {
    expect(paymentUri({ address, amountSats: 10_000n, bolt11: null })).to.equal(
      `bitcoin:${address}?amount=0.0001`,
    );
    expect(paymentUri({ address, amountSats: 1n, bolt11: null })).to.equal(
      `bitcoin:${address}?amount=0.00000001`,
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

  it("has no amount when nothing is due", () => {
    expect(paymentUri({ address, amountSats: 0n, bolt11: null })).to.equal(`bitcoin:${address}`);
  });

  it("is null when there is no destination", () => {
    expect(paymentUri({ address: null, amountSats: 10_000n, bolt11: null })).to.equal(null);
  });
});
