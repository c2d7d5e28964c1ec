import { expect } from "chai";
import { isPayable } from "../../../domain/invoice/is-payable";
import { INVOICE_STATUSES } from "../../../domain/invoice/status";
import { AFTER_EXPIRY, BEFORE_EXPIRY, CREATED, EXPIRES, seconds } from "./invoice-facts";

describe("an invoice", () => {
  it("is payable while it is New, until just before its expiry", () => {
    const payable = (now: Date): boolean => isPayable({ status: "New", expiresAt: EXPIRES }, now);
    expect([CREATED, BEFORE_EXPIRY, seconds(EXPIRES, -0.001)].map(payable)).to.deep.equal([true, true, true]);
    expect([EXPIRES, AFTER_EXPIRY].map(payable)).to.deep.equal([false, false]);
  });

  it("is not payable in any other status", () => {
    const others = INVOICE_STATUSES.filter((status) => status !== "New");
    expect(others).to.have.lengthOf(4);
    for (const status of others)
      expect(isPayable({ status, expiresAt: EXPIRES }, BEFORE_EXPIRY)).to.equal(false);
  });
});
