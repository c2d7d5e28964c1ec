import { expect } from "chai";
import { hasVanished } from "../../../domain/invoice/vanished";
import { Payment } from "../../../entities/payment";

const row = (txid: string, given: Partial<Payment> = {}): Payment =>
  Object.assign(new Payment(), {
    txid,
    type: "BTC-CHAIN",
    amountSats: 1_000n,
    state: "pending",
    firstSeenAt: new Date("2026-03-01T12:00:00Z"),
    blockHeight: null,
    belowDust: false,
    conflictTxid: null,
    conflictHeights: [],
    confirmedAt: null,
    ...given,
  });
const replaced = (txid: string, conflictTxid: string): Payment =>
  row(txid, { state: "replaced", conflictTxid });
const lightning = (state: Payment["state"]): Payment => row("", { type: "BTC-LN", txid: null, state });

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
  ["its fee was raised so that dust was left", [replaced("a", "b"), row("b", { belowDust: true })], true],
  ["two replaced each other, and neither is there", [replaced("a", "b"), replaced("b", "a")], true],
  ["only dust was replaced", [row("a", { state: "replaced", belowDust: true })], false],
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
