import { expect } from "chai";
import { type Phase, PHASES, phaseOf } from "../../../domain/invoice/phase";
import { mayLeaveRefundAddress } from "../../../domain/invoice/may-leave-refund-address";
import { ADDITIONAL_STATUSES, INVOICE_STATUSES } from "../../../domain/invoice/status";

const DUE = 10_000n;
const EXPIRES_AT = new Date("2026-03-01T12:15:00Z");
const AFTER = new Date("2026-03-01T13:00:00Z");
const BEFORE = new Date("2026-03-01T12:05:00Z");

/** What stands in each phase of the page, and what is offered there. Invalid has two rows: without and with money. */
const TABLE: [Phase, Partial<Parameters<typeof phaseOf>[0]>, boolean][] = [
  ["waiting", { status: "New" }, false],
  ["partial", { status: "New", paidSats: 4_000n }, false],
  ["checking", { status: "New", paidSats: 4_000n }, false],
  ["seen", { status: "Processing", paidSats: 12_000n }, false],
  ["paid", { status: "Settled", paidSats: DUE, confirmedSats: DUE }, false],
  ["accepted", { status: "Settled", paidSats: 4_000n }, false],
  ["overpaid", { status: "Settled", additionalStatus: "Overpaid", paidSats: 12_000n }, true],
  ["paidLate", { status: "Settled", additionalStatus: "PaidAfterExpiration", paidSats: DUE }, true],
  ["expired", { status: "Expired" }, false],
  ["underpaid", { status: "Expired", additionalStatus: "Underpaid", paidSats: 4_000n }, true],
  ["underpaid", { status: "Expired", paidSats: 1n }, true],
  ["lateSeen", { status: "Expired", paidSats: DUE }, true],
  ["invalid", { status: "Invalid" }, false],
  ["invalid", { status: "Invalid", paidSats: 1n }, true],
];

describe("whether a customer may leave an address for a refund", () => {
  for (const [phase, fields, offered] of TABLE)
    it(`is ${offered} for "${phase}" with ${fields.paidSats ?? 0n} sats of ${DUE}`, () => {
      const invoice = {
        status: "New" as const,
        additionalStatus: "None" as const,
        paidSats: 0n,
        confirmedSats: 0n,
        minDueSats: DUE,
        expiresAt: EXPIRES_AT,
        ...fields,
      };
      expect(phaseOf(invoice, phase === "checking" ? AFTER : BEFORE)).to.equal(phase);
      expect(mayLeaveRefundAddress(invoice)).to.equal(offered);
    });

  it("is covered for every phase by the table above", () => {
    expect(new Set(TABLE.map(([phase]) => phase))).to.deep.equal(new Set(PHASES));
  });

  it("is never offered for an unsettled invoice without a payment", () => {
    for (const status of INVOICE_STATUSES)
      for (const additionalStatus of ADDITIONAL_STATUSES)
        if (status !== "Settled")
          expect(mayLeaveRefundAddress({ status, additionalStatus, paidSats: 0n }), status).to.equal(false);
  });
});
