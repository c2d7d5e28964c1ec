import { expect } from "chai";
import type { InvoiceFacts } from "../../../domain/invoice/facts";
import { reviewReason, type ReviewReason } from "../../../domain/invoice/review";
import { confirmed, CREATED, DUE, invoice, payment, seconds } from "./invoice-facts";

const settled = { status: "Settled", additionalStatus: "None" } as const;
const late = { status: "Settled", additionalStatus: "PaidAfterExpiration" } as const;
const expired = { status: "Expired", additionalStatus: "None" } as const;
const underpaid = { status: "Expired", additionalStatus: "Underpaid" } as const;
const invalid = { status: "Invalid", additionalStatus: "None" } as const;
const more = confirmed({ amountSats: DUE + 1n });
const less = payment({ amountSats: DUE - 1n });

const CASES: [string, Partial<InvoiceFacts>, ReviewReason | null][] = [
  ["nothing was paid", { ...expired }, null],
  ["it can still be paid", { payments: [less] }, null],
  ["it was paid as it should be", { ...settled, payments: [confirmed()] }, null],
  ["it was marked Settled with a part paid", { ...settled, markedByHand: "Settled", payments: [less] }, null],
  ["it was paid late", { ...late, payments: [confirmed()] }, "paid-late"],
  ["it was paid late, and too much", { ...late, payments: [more] }, "paid-late"],
  ["more than the price is confirmed", { ...settled, payments: [more] }, "overpaid"],
  ["an excess is unconfirmed", { ...settled, payments: [confirmed(), less] }, null],
  ["a part was paid", { ...underpaid, payments: [less] }, "underpaid"],
  ["the part has vanished", { ...underpaid, payments: [{ ...less, state: "evicted" }] }, null],
  [
    "a part came after all monitoring",
    { ...expired, payments: [{ ...less, state: "confirmed" }] },
    "underpaid",
  ],
  ["the whole price is on its way, late", { ...expired, payments: [payment()] }, null],
  ["money came to an invalid one", { ...invalid, payments: [confirmed()] }, "paid-invalid"],
  ["only unconfirmed money came to an invalid one", { ...invalid, payments: [payment()] }, null],
];

describe("what a person has to decide", () => {
  for (const [when, given, reason] of CASES)
    it(`is ${reason ?? "nothing"} when ${when}`, () => {
      expect(reviewReason(invoice(given), null)).to.equal(reason);
    });

  it("is paid-archived when it was paid after it was archived", () => {
    const facts = invoice({ ...settled, payments: [confirmed({ firstSeenAt: seconds(CREATED, 60) })] });
    expect(reviewReason(facts, seconds(CREATED, 30))).to.equal("paid-archived");
    expect(reviewReason(facts, seconds(CREATED, 90))).to.equal(null);
  });
});
