import { expect } from "chai";
import { PHASES, type Phase } from "../../../domain/invoice/phase";
import { countsByRow, isLoss, lacksVanished } from "../../../domain/invoice/vanished";
import { Payment } from "../../../entities/payment";

const row = (txid: string, given: Partial<Payment> = {}): Payment =>
  Object.assign(new Payment(), {
    txid,
    type: "BTC-CHAIN",
    amountSats: 1_000n,
    state: "pending",
    firstSeenAt: new Date("2026-03-01T12:00:00Z"),
    blockHeight: null,
    neverCounts: false,
    conflictTxid: null,
    conflictHeights: [],
    confirmedAt: null,
    givenUp: false,
    ...given,
  });
const replaced = (txid: string, conflictTxid: string): Payment =>
  row(txid, { state: "replaced", conflictTxid });
const CONFIRMED_AT = new Date("2026-03-01T12:10:00Z");
const lightning = (state: Payment["state"]): Payment => row("", { type: "BTC-LN", txid: null, state });

/** Of an invoice that lacks everything. */
const hasVanished = (rows: readonly Payment[]): boolean =>
  lacksVanished({ paidSats: 0n, minDueSats: 1n }, "expired", rows);

const CASES: [string, Payment[], boolean][] = [
  ["nothing was paid", [], false],
  ["what was paid is there", [row("a"), row("b", { state: "confirmed" })], false],
  ["it is contested and not yet given up", [row("a", { conflictTxid: "thief" })], false],
  ["it was replaced by a transaction that pays somebody else", [replaced("a", "thief")], true],
  ["it was evicted", [row("a", { state: "evicted" })], true],
  ["one of two was", [row("a"), replaced("b", "thief")], true],
  ["its fee was raised", [replaced("a", "b"), row("b")], false],
  ["its fee was raised twice", [replaced("a", "b"), replaced("b", "c"), row("c")], false],
  ["its fee was raised, and all of it then taken back", [replaced("a", "b"), replaced("b", "thief")], true],
  ["its fee was raised, and that evicted", [replaced("a", "b"), row("b", { state: "evicted" })], true],
  ["its fee was raised so that dust was left", [replaced("a", "b"), row("b", { neverCounts: true })], true],
  ["two replaced each other, and neither is there", [replaced("a", "b"), replaced("b", "a")], true],
  ["only dust was replaced", [row("a", { state: "replaced", neverCounts: true })], false],
  ["it was paid by Lightning", [lightning("confirmed")], false],
  ["another was paid by Lightning since", [replaced("a", "thief"), lightning("confirmed")], true],
];

describe("a payment of an invoice", () => {
  for (const [when, rows, vanished] of CASES)
    it(`${vanished ? "vanished" : "did not vanish"} when ${when}`, () => {
      expect(hasVanished(rows)).to.equal(vanished);
      expect(hasVanished([...rows].reverse()), "in any order").to.equal(vanished);
    });
});

describe("an invoice with a payment that vanished", () => {
  const lacks = (paidSats: bigint, phase: Phase): boolean =>
    lacksVanished({ paidSats, minDueSats: 1_000n }, phase, [replaced("a", "thief")]);

  it("lacks it while the remaining payments are not enough", () => {
    expect(lacks(999n, "partial")).to.equal(true);
    expect(lacks(1_000n, "partial")).to.equal(false);
  });

  it("lacks nothing once the store has been paid, or all of it waits for confirmations", () => {
    expect(PHASES.filter((phase) => !lacks(0n, phase))).to.deep.equal([
      "seen",
      "paid",
      "accepted",
      "overpaid",
      "paidLate",
      "lateSeen",
    ]);
  });
});

describe("a change of a payment", () => {
  const confirmedAt = CONFIRMED_AT;
  const confirmed = row("a", { state: "confirmed", confirmedAt });
  const evicted = row("a", { state: "evicted", confirmedAt });
  const doubleSpent = row("a", { state: "replaced", confirmedAt, conflictHeights: [7] });
  const dust = row("a", { neverCounts: true });
  const changes: [string, Payment | null, Payment, boolean][] = [
    ["it is new", null, row("a"), false],
    ["it is new and was replaced already", null, replaced("a", "thief"), false],
    ["it is confirmed", row("a"), confirmed, false],
    ["it is in no block any more", confirmed, row("a", { confirmedAt }), false],
    ["it is replaced", row("a"), replaced("a", "thief"), true],
    ["it is evicted", row("a"), evicted, true],
    ["it is double-spent", confirmed, doubleSpent, true],
    ["it was evicted before and is double-spent", evicted, doubleSpent, true],
    [
      "it was evicted before and is given up",
      evicted,
      { ...doubleSpent, conflictHeights: [], givenUp: true },
      true,
    ],
    ["it was double-spent before", doubleSpent, { ...doubleSpent, conflictHeights: [7, 8] }, false],
    ["it was replaced by another before", replaced("a", "b"), replaced("a", "c"), false],
    ["it is back", evicted, row("a"), false],
    ["it is dust that is replaced", dust, row("a", { neverCounts: true, state: "replaced" }), false],
  ];
  for (const [when, before, after, is] of changes)
    it(`${is ? "is a loss" : "is no loss"} when ${when}`, () => {
      expect(isLoss(before, after)).to.equal(is);
    });
});

describe("the row of a payment", () => {
  const counted: [string, Partial<Payment>, boolean][] = [
    ["it is pending", {}, true],
    ["it is confirmed", { state: "confirmed" }, true],
    ["it is contested and not yet given up", { conflictTxid: "thief" }, true],
    ["it was replaced", { state: "replaced" }, false],
    ["it was evicted", { state: "evicted" }, false],
    ["it is below the dust limit", { neverCounts: true }, false],
    [
      "it was confirmed once and spent elsewhere since",
      { state: "replaced", confirmedAt: CONFIRMED_AT, conflictHeights: [7] },
      false,
    ],
  ];
  for (const [when, given, does] of counted)
    it(`${does ? "counts" : "does not count"} when ${when}`, () => {
      expect(countsByRow(row("a", given))).to.equal(does);
    });
});
