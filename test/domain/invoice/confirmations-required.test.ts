import { expect } from "chai";
import { DomainError } from "../../../domain/errors";
import {
  requiredConfirmations,
  requiredForPayment,
  type ConfirmationPolicy,
} from "../../../domain/invoice/confirmations-required";

const store: ConfirmationPolicy = { requiredConfirmations: 1, confirmationTiers: [], zeroConfMaxSats: null };
const zeroConf: ConfirmationPolicy = { ...store, requiredConfirmations: 0, zeroConfMaxSats: 10_000n };
const tiers = [
  { aboveSats: "5000000", confirmations: 3 },
  { aboveSats: "100000000", confirmations: 6 },
];

describe("requiredConfirmations", () => {
  it("is the store's default when neither the invoice nor a tier sets it", () => {
    expect(requiredConfirmations(null, { ...store, requiredConfirmations: 2 }, 1_000n)).to.equal(2);
    expect(requiredConfirmations(null, { ...store, confirmationTiers: tiers }, 5_000_000n)).to.equal(1);
  });

  it("is the highest tier below the price, in whatever order the tiers are", () => {
    for (const confirmationTiers of [tiers, [...tiers].reverse()]) {
      expect(requiredConfirmations(null, { ...store, confirmationTiers }, 5_000_001n)).to.equal(3);
      expect(requiredConfirmations(null, { ...store, confirmationTiers }, 100_000_001n)).to.equal(6);
    }
  });

  it("is the invoice's own value before any tier", () => {
    expect(requiredConfirmations(2, { ...store, confirmationTiers: tiers }, 100_000_001n)).to.equal(2);
    expect(requiredConfirmations(100, store, 1n)).to.equal(100);
  });

  it("refuses a value that is no integer from 0 to 100", () => {
    for (const wished of [-1, 101, 1.5, Number.NaN])
      expect(() => requiredConfirmations(wished, zeroConf, 1n)).to.throw(
        DomainError,
        "whole number from 0 to 100",
      );
  });

  it("16: refuses 0 without the store's opt-in, at /requiredConfirmations", () => {
    expect(() => requiredConfirmations(0, store, 1n))
      .to.throw(DomainError, "opted in")
      .with.nested.property("errors[0].pointer", "/requiredConfirmations");
  });

  it("16: makes 0 without the store's opt-in 1 for a lenient request, and refuses its other values all the same", () => {
    expect(requiredConfirmations(0, store, 1n, true)).to.equal(1);
    expect(requiredConfirmations(0, { ...store, requiredConfirmations: 6 }, 1n, true)).to.equal(1);
    expect(requiredConfirmations(0, zeroConf, 10_000n, true)).to.equal(0);
    expect(requiredConfirmations(0, zeroConf, 10_001n, true)).to.equal(1);
    expect(() => requiredConfirmations(101, store, 1n, true)).to.throw(
      DomainError,
      "whole number from 0 to 100",
    );
  });

  it("16: allows 0 up to the store's cap and requires 1 above it, by the invoice, by tier or by default", () => {
    const byTier: ConfirmationPolicy = {
      ...zeroConf,
      requiredConfirmations: 2,
      confirmationTiers: [{ aboveSats: "0", confirmations: 0 }],
    };
    for (const [wished, policy] of [
      [0, zeroConf],
      [null, zeroConf],
      [null, byTier],
    ] as const) {
      expect(requiredConfirmations(wished, policy, 10_000n)).to.equal(0);
      expect(requiredConfirmations(wished, policy, 10_001n)).to.equal(1);
    }
  });

  it("16: requires 1 when a default of 0 remains without opt-in", () => {
    expect(requiredConfirmations(null, { ...zeroConf, zeroConfMaxSats: null }, 1n)).to.equal(1);
  });
});

describe("requiredForPayment", () => {
  const zero = {
    required: 0,
    amountSats: 10_000n,
    zeroConfMaxSats: 10_000n,
    replaceable: false,
    coinbase: false,
  };

  it("16: is 0 only within the cap and without a signal of replaceability", () => {
    expect(requiredForPayment(zero)).to.equal(0);
    expect(requiredForPayment({ ...zero, amountSats: 10_001n })).to.equal(1);
    expect(requiredForPayment({ ...zero, replaceable: true })).to.equal(1);
    expect(requiredForPayment({ ...zero, zeroConfMaxSats: null })).to.equal(1);
  });

  it("is the invoice's number in every other case", () => {
    expect(requiredForPayment({ ...zero, required: 1 })).to.equal(1);
    expect(requiredForPayment({ ...zero, required: 6, replaceable: true })).to.equal(6);
  });

  it("12: is 100 for a coinbase output", () => {
    for (const required of [0, 1, 100])
      expect(requiredForPayment({ ...zero, required, coinbase: true })).to.equal(100);
  });
});
