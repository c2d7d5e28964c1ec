import { expect } from "chai";
import { settledPayment, type SettledBolt11 } from "../../../domain/lightning/settled-payment";
import {
  AFTER_EXPIRY,
  AFTER_MONITORING,
  BEFORE_EXPIRY,
  CREATED,
  EXPIRES,
  seconds,
} from "../invoice/invoice-facts";

const INVOICE = { id: "inv_1", storeId: "store", createdAt: CREATED, expiresAt: EXPIRES };
const SETTLED: SettledBolt11 = {
  paymentHash: "aa",
  amountPaidMsat: 5_000_000n,
  settledAt: BEFORE_EXPIRY,
  preimage: "bb",
};

describe("the payment of a settled BOLT11", () => {
  const made = (said: Partial<SettledBolt11>, now = AFTER_EXPIRY) =>
    settledPayment({ ...SETTLED, ...said }, INVOICE, now);
  const firstSeenAt = (settledAt: Date | null, now?: Date): Date => made({ settledAt }, now).firstSeenAt;

  it("is confirmed at once, under its payment hash", () => {
    expect(made({})).to.deep.equal({
      id: "aa",
      invoiceId: "inv_1",
      storeId: "store",
      type: "BTC-LN",
      amountSats: 5_000n,
      state: "confirmed",
      neverCounts: false,
      firstSeenAt: BEFORE_EXPIRY,
      confirmedAt: AFTER_EXPIRY,
      requiredConfirmations: 0,
      preimage: "bb",
    });
    expect(made({ preimage: null }).preimage).to.equal(null);
  });

  it("counts what was received, also above the price, rounded down to whole sats", () => {
    expect(made({ amountPaidMsat: 5_000_999n }).amountSats).to.equal(5_000n);
    expect(made({ amountPaidMsat: 5_001_000n }).amountSats).to.equal(5_001n);
    expect(made({ amountPaidMsat: 999n }).amountSats).to.equal(0n);
  });

  it("was first seen when it settled, however late it is recorded", () => {
    expect(firstSeenAt(BEFORE_EXPIRY, BEFORE_EXPIRY)).to.deep.equal(BEFORE_EXPIRY);
    expect(firstSeenAt(BEFORE_EXPIRY, AFTER_MONITORING)).to.deep.equal(BEFORE_EXPIRY);
  });

  it("was first seen when it is recorded if the node's clock is ahead, or the node reports no instant", () => {
    expect(firstSeenAt(EXPIRES, BEFORE_EXPIRY)).to.deep.equal(BEFORE_EXPIRY);
    expect(firstSeenAt(null, BEFORE_EXPIRY)).to.deep.equal(BEFORE_EXPIRY);
  });

  it("is never late: it was first seen at the expiry when it settled after it", () => {
    expect(firstSeenAt(EXPIRES)).to.deep.equal(EXPIRES);
    expect(firstSeenAt(seconds(EXPIRES, 0.001))).to.deep.equal(EXPIRES);
    expect(firstSeenAt(AFTER_MONITORING, AFTER_MONITORING)).to.deep.equal(EXPIRES);
    expect(firstSeenAt(null, AFTER_MONITORING)).to.deep.equal(EXPIRES);
  });

  it("was not first seen before the invoice was created, even if the node's clock is behind", () => {
    expect(firstSeenAt(seconds(CREATED, -0.001))).to.deep.equal(CREATED);
    expect(firstSeenAt(seconds(CREATED, -3_600), BEFORE_EXPIRY)).to.deep.equal(CREATED);
    expect(firstSeenAt(CREATED)).to.deep.equal(CREATED);
  });
});
