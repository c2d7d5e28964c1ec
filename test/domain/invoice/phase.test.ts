import { expect } from "chai";
import { isDone, isFinal, PHASES, phaseOf, type Phase } from "../../../domain/invoice/phase";

const NOW = new Date("2026-03-01T12:00:00Z");
const LATER = new Date("2026-03-01T12:15:00Z");
const EARLIER = new Date("2026-03-01T11:59:59Z");

type Facts = Parameters<typeof phaseOf>[0];

const facts = (given: Partial<Facts>): Facts => ({
  status: "New",
  additionalStatus: "None",
  paidSats: 0n,
  confirmedSats: 0n,
  minDueSats: 900n,
  expiresAt: LATER,
  ...given,
});

const CASES: [string, Partial<Facts>, Phase][] = [
  ["nothing was paid", {}, "waiting"],
  ["a part was paid in time", { paidSats: 899n }, "partial"],
  ["the time is up and not yet decided", { expiresAt: NOW }, "checking"],
  ["a part was paid and the time is up", { paidSats: 5n, expiresAt: EARLIER }, "checking"],
  ["enough has come and is not yet decided", { paidSats: 900n }, "checking"],
  ["it was seen", { status: "Processing", paidSats: 1_000n }, "seen"],
  [
    "it was seen, and the time is up since",
    { status: "Processing", paidSats: 900n, expiresAt: EARLIER },
    "seen",
  ],
  ["it was seen and lost, which is not yet decided", { status: "Processing", paidSats: 899n }, "checking"],
  ["it is settled", { status: "Settled", confirmedSats: 900n }, "paid"],
  ["it was settled by hand", { status: "Settled", confirmedSats: 899n }, "accepted"],
  [
    "too much was paid",
    { status: "Settled", additionalStatus: "Overpaid", confirmedSats: 1_500n },
    "overpaid",
  ],
  ["it was paid late", { status: "Settled", additionalStatus: "PaidAfterExpiration" }, "paidLate"],
  ["it expired", { status: "Expired" }, "expired"],
  ["it expired with a part", { status: "Expired", additionalStatus: "Underpaid", paidSats: 1n }, "underpaid"],
  ["it expired with a part that vanished", { status: "Expired", additionalStatus: "Underpaid" }, "expired"],
  ["all of it came late", { status: "Expired", paidSats: 900n }, "lateSeen"],
  ["the rest came late", { status: "Expired", additionalStatus: "Underpaid", paidSats: 900n }, "lateSeen"],
  ["it is invalid", { status: "Invalid", paidSats: 1_000n }, "invalid"],
];

describe("the checkout's phase", () => {
  for (const [when, given, phase] of CASES)
    it(`is "${phase}" when ${when}`, () => expect(phaseOf(facts(given), NOW)).to.equal(phase));
});

describe("an invoice", () => {
  const pending = { confirmedAt: null };
  const confirmed = { confirmedAt: NOW };

  it("is final when the store has been paid and each payment has its confirmations", () => {
    const done: Phase[] = ["paid", "accepted", "overpaid", "paidLate"];
    expect(PHASES.filter((phase) => isFinal(phase, [confirmed, confirmed]))).to.deep.equal(done);
    expect(PHASES.filter(isDone)).to.deep.equal(done);
  });

  it("is final without a payment when it was accepted by hand, and not when it expired", () => {
    expect(isFinal("accepted", [])).to.equal(true);
    expect(isFinal("expired", [])).to.equal(false);
  });

  it("is not final while one of its payments is pending, even when it was paid", () => {
    expect(PHASES.filter((phase) => isFinal(phase, [confirmed, pending]))).to.deep.equal([]);
  });
});
