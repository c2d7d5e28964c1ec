import { expect } from "chai";
import { holdExpiryUntil, overlapsGap } from "../../../domain/invoice/expiry-hold";
import { BEFORE_EXPIRY, CREATED, EXPIRES, seconds } from "./invoice-facts";

const MINUTE = 60;
const HOUR = 3_600;
const LONG_AGO = seconds(CREATED, -30 * 24 * HOUR);

describe("how long an expiry may be held", () => {
  const until = (said: { watchStartedAt?: Date | null; processStartedAt?: Date; holdMinutes?: number }) =>
    holdExpiryUntil(EXPIRES, {
      holdMinutes: 60,
      watchStartedAt: LONG_AGO,
      processStartedAt: LONG_AGO,
      ...said,
    });

  it("counts from the expiry when chain-watch has run since before it", () => {
    expect(until({})).to.deep.equal(seconds(EXPIRES, HOUR));
    expect(until({ watchStartedAt: null })).to.deep.equal(seconds(EXPIRES, HOUR));
  });

  it("counts from the start of chain-watch when that came later", () => {
    const watchStartedAt = seconds(EXPIRES, 5 * HOUR);
    expect(until({ watchStartedAt })).to.deep.equal(seconds(EXPIRES, 6 * HOUR));
  });

  it("gives chain-watch a minute to start beside a process that has just started", () => {
    const processStartedAt = seconds(EXPIRES, 5 * HOUR);
    expect(until({ processStartedAt })).to.deep.equal(seconds(EXPIRES, 5 * HOUR + MINUTE));
  });

  it("is never longer than 24 hours after the expiry", () => {
    const most = seconds(EXPIRES, 24 * HOUR);
    expect(until({ watchStartedAt: seconds(EXPIRES, 23.5 * HOUR) })).to.deep.equal(most);
    expect(until({ processStartedAt: seconds(EXPIRES, 48 * HOUR) })).to.deep.equal(most);
    expect(until({ holdMinutes: 10_080 })).to.deep.equal(most);
  });
});

describe("a gap", () => {
  const invoice = { createdAt: CREATED, expiresAt: EXPIRES };
  const overlaps = (beganAt: Date, endedAt: Date | null): boolean =>
    overlapsGap(invoice, [{ beganAt, endedAt }]);

  it("overlaps an invoice's time when it has an instant in common with it", () => {
    expect(overlaps(LONG_AGO, CREATED)).to.equal(true);
    expect(overlaps(BEFORE_EXPIRY, BEFORE_EXPIRY)).to.equal(true);
    expect(overlaps(EXPIRES, null)).to.equal(true);
    expect(overlaps(LONG_AGO, null)).to.equal(true);
  });

  it("does not when it ended before the creation or began after the expiry", () => {
    expect(overlaps(LONG_AGO, seconds(CREATED, -0.001))).to.equal(false);
    expect(overlaps(seconds(EXPIRES, 0.001), null)).to.equal(false);
    expect(overlapsGap(invoice, [])).to.equal(false);
  });
});
