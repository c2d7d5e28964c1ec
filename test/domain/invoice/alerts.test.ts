import { expect } from "chai";
import { alertsOf, type InvoiceAlert } from "../../../domain/invoice/alerts";
import type { InvoiceFacts } from "../../../domain/invoice/facts";
import { DUE, EXPIRES, invoice, payment, seconds } from "./invoice-facts";

const inTime = payment({ firstSeenAt: EXPIRES });
const late = payment({ firstSeenAt: seconds(EXPIRES, 1) });
const expired = { status: "Expired", additionalStatus: "None" } as const;
const underpaid = { status: "Expired", additionalStatus: "Underpaid" } as const;
const marked = { status: "Invalid", markedByHand: "Invalid" } as const;

const unpaid = { status: "New", additionalStatus: "None", paidSats: 0n } as const;

const CASES: [string, Partial<InvoiceFacts>, InvoiceAlert[]][] = [
  ["nothing was paid", {}, []],
  ["it was paid in time", { status: "Processing", payments: [inTime] }, []],
  ["it was paid late", { ...expired, payments: [late] }, ["late-payment"]],
  ["it was paid late and is settled", { status: "Settled", payments: [late] }, ["late-payment"]],
  ["a part was paid in time", { ...underpaid, payments: [inTime] }, ["part-payment"]],
  ["a part was paid late", { ...underpaid, payments: [late] }, ["late-payment", "part-payment"]],
  ["the rest came late", { ...underpaid, payments: [inTime, late] }, ["late-payment", "part-payment"]],
  ["it was marked Invalid", { ...marked, payments: [inTime] }, ["payment-to-invalid-invoice"]],
  ["it was marked Invalid and paid late", { ...marked, payments: [late] }, ["payment-to-invalid-invoice"]],
  [
    "it was marked Settled and paid late",
    { status: "Settled", markedByHand: "Settled", payments: [late] },
    ["late-payment"],
  ],
  [
    "only a late payment does not count",
    { ...expired, payments: [inTime, { ...late, neverCounts: true }, { ...late, state: "replaced" }] },
    [],
  ],
];

describe("a decision's alerts", () => {
  for (const [when, given, alerts] of CASES)
    it(`are ${alerts.join(" and ") || "none"} when ${when}`, () => {
      expect(alertsOf(unpaid, invoice(given))).to.deep.equal(alerts);
    });

  it("are none when the sum has not grown since the last decision", () => {
    const facts = invoice({ ...underpaid, payments: [late] });
    const before = (paidSats: bigint) => ({ ...underpaid, paidSats });
    expect(alertsOf(before(DUE - 1n), facts)).to.have.length(2);
    expect(alertsOf(before(DUE), facts)).to.deep.equal([]);
    expect(alertsOf(before(DUE + 1n), facts), "a payment was lost").to.deep.equal([]);
  });

  for (const [when, before] of [
    ["the time is up after a part was paid", { status: "New", additionalStatus: "None", paidSats: DUE }],
    ["the rest has vanished", { status: "Processing", additionalStatus: "None", paidSats: 2n * DUE }],
  ] as const)
    it(`are part-payment when ${when}`, () => {
      expect(alertsOf(before, invoice({ ...underpaid, payments: [inTime] }))).to.deep.equal(["part-payment"]);
    });
});
