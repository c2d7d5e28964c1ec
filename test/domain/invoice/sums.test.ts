import { expect } from "chai";
import { confirmedSats, excessSats, isLate, paidSats, remainingSats } from "../../../domain/invoice/sums";
import type { InvoiceFacts } from "../../../domain/invoice/facts";
import { confirmed, EXPIRES, invoice, lightning, payment, seconds } from "./invoice-facts";

describe("an invoice's amounts", () => {
  const remaining = (facts: InvoiceFacts): bigint => remainingSats({ ...facts, paidSats: paidSats(facts) });

  const payments = [
    payment({ amountSats: 1_000n }),
    confirmed({ amountSats: 20_000n }),
    lightning(30_000n),
    payment({ amountSats: 5n, state: "replaced" }),
    payment({ amountSats: 7n, state: "evicted" }),
    confirmed({ amountSats: 11n, neverCounts: true }),
    confirmed({ amountSats: 13n, doubleSpent: true }),
  ];

  it("count what is pending or confirmed by both payment methods, and nothing replaced, evicted, double-spent or dust", () => {
    expect(paidSats(invoice({ payments }))).to.equal(51_000n);
    expect(confirmedSats(invoice({ payments }))).to.equal(50_000n);
    expect(remaining(invoice({ payments }))).to.equal(49_000n);
  });

  it("leave nothing to pay as soon as minDue is reached", () => {
    const tolerant = (amountSats: bigint) =>
      invoice({ minDueSats: 90_000n, payments: [lightning(amountSats)] });
    expect(remaining(tolerant(89_999n))).to.equal(10_001n);
    expect(remaining(tolerant(90_000n))).to.equal(0n);
    expect(remaining(tolerant(200_000n))).to.equal(0n);
  });

  it("6: leave the remainder to a new BOLT11 after an on-chain part, nothing at minDue, and all again when that vanishes", () => {
    const onChain = (...states: ["pending" | "evicted", bigint][]) =>
      invoice({ payments: states.map(([state, amountSats]) => payment({ state, amountSats })) });
    expect(remaining(onChain(["pending", 40_000n]))).to.equal(60_000n);
    expect(remaining(onChain(["pending", 40_000n], ["pending", 60_000n]))).to.equal(0n);
    expect(remaining(onChain(["pending", 40_000n], ["evicted", 60_000n]))).to.equal(60_000n);
    expect(remaining(onChain(["evicted", 40_000n], ["evicted", 60_000n]))).to.equal(100_000n);
  });

  it("count as excess only what is above the price, not above the tolerance", () => {
    expect(excessSats({ dueSats: 100n, paidSats: 100n })).to.equal(0n);
    expect(excessSats({ dueSats: 100n, paidSats: 90n })).to.equal(0n);
    expect(excessSats({ dueSats: 100n, paidSats: 101n })).to.equal(1n);
  });

  it("count a payment as late when it was first seen after the expiry", () => {
    expect(isLate(payment({ firstSeenAt: EXPIRES }), invoice())).to.equal(false);
    expect(isLate(payment({ firstSeenAt: seconds(EXPIRES, 0.001) }), invoice())).to.equal(true);
  });
});
