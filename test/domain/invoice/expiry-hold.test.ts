import { expect } from "chai";
import {
  expiryMayBeDecided,
  type Gap,
  holdExpiryUntil,
  isArrivalUnknown,
  isInGap,
  isUnread,
  notAhead,
  overlapsGap,
} from "../../../domain/invoice/expiry-hold";
import type { InvoiceStatus } from "../../../domain/invoice/status";
import {
  AFTER_EXPIRY,
  BEFORE_EXPIRY,
  BEHIND,
  CAUGHT_UP,
  CREATED,
  EXPIRES,
  IN_GAP,
  seconds,
} from "./invoice-facts";

const HOUR = 3_600;
const LONG_AGO = seconds(CREATED, -30 * 24 * HOUR);

describe("how long an expiry may be held", () => {
  const until = (said: { watchStartedAt?: Date | null; holdMinutes?: number }) =>
    holdExpiryUntil(EXPIRES, {
      holdMinutes: 60,
      watchStartedAt: LONG_AGO,
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

  it("is never longer than 24 hours after the expiry", () => {
    const most = seconds(EXPIRES, 24 * HOUR);
    expect(until({ watchStartedAt: seconds(EXPIRES, 23.5 * HOUR) })).to.deep.equal(most);
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

describe("what may have been missed", () => {
  const invoice = { id: "inv_1", createdAt: CREATED, expiresAt: EXPIRES };
  const missed = (gaps: readonly Gap[], ...paidBySetAside: string[]): { inGap: boolean; unread: boolean } => {
    const chain = { gaps, paidBySetAside: new Set(paidBySetAside) };
    return { inGap: isInGap(invoice, chain), unread: isUnread(invoice, chain) };
  };

  it("is nothing without a gap and without a transaction that was set aside", () => {
    expect(missed([])).to.deep.equal({ inGap: false, unread: false });
    const earlier = { beganAt: LONG_AGO, endedAt: seconds(CREATED, -0.001) };
    expect(missed([earlier], "inv_2")).to.deep.equal({ inGap: false, unread: false });
  });

  it("is a payment in the invoice's time when a gap overlaps it, or a transaction that pays it was set aside", () => {
    const overlapping = { beganAt: BEFORE_EXPIRY, endedAt: EXPIRES };
    expect(missed([overlapping])).to.deep.equal({ inGap: true, unread: true });
    expect(missed([], "inv_2", "inv_1")).to.deep.equal({ inGap: true, unread: true });
  });

  it("is only a later payment when a gap began after the expiry", () => {
    const later = { beganAt: AFTER_EXPIRY, endedAt: null };
    expect(missed([later])).to.deep.equal({ inGap: false, unread: true });
  });
});

describe("an instant of a check", () => {
  it("says something from then on, and nothing while it is ahead of the clock", () => {
    expect(notAhead(EXPIRES, EXPIRES)).to.equal(EXPIRES);
    expect(notAhead(EXPIRES, AFTER_EXPIRY)).to.equal(EXPIRES);
    expect(notAhead(EXPIRES, seconds(EXPIRES, -0.001))).to.equal(null);
    expect(notAhead(null, EXPIRES)).to.equal(null);
  });
});

describe("the arrival of a payment that is first found in a block", () => {
  const LIMIT = BEHIND.holdExpiryUntil;
  const YEARS_LATER = seconds(EXPIRES, 3 * 365 * 24 * HOUR);
  const unknown = (
    status: InvoiceStatus,
    now: Date,
    chain: Parameters<typeof isArrivalUnknown>[1] = BEHIND,
  ) => isArrivalUnknown({ status, expiresAt: EXPIRES }, chain, now);
  const checkedUntil = (caughtUpTo: Date) => ({ ...CAUGHT_UP, caughtUpTo });

  it("is unknown when the chain was not checked past the expiry", () => {
    for (const status of ["New", "Processing"] as const) {
      expect(unknown(status, AFTER_EXPIRY)).to.equal(true);
      expect(unknown(status, AFTER_EXPIRY, checkedUntil(seconds(EXPIRES, -0.001)))).to.equal(true);
    }
  });

  it("is known when the chain was checked at exactly the expiry, or later", () => {
    for (const status of ["New", "Processing"] as const) {
      expect(unknown(status, AFTER_EXPIRY, checkedUntil(EXPIRES))).to.equal(false);
      expect(unknown(status, AFTER_EXPIRY, CAUGHT_UP)).to.equal(false);
    }
  });

  it("is unknown when payments may have been missed, although the chain was checked past the expiry", () => {
    for (const status of ["New", "Processing"] as const)
      expect(unknown(status, AFTER_EXPIRY, IN_GAP)).to.equal(true);
  });

  it("is known before the expiry, and unknown from exactly the expiry on", () => {
    for (const status of ["New", "Processing"] as const) {
      expect(unknown(status, seconds(EXPIRES, -0.001))).to.equal(false);
      expect(unknown(status, EXPIRES)).to.equal(true);
    }
  });

  it("of a New invoice is unknown only until the limit on the hold", () => {
    for (const chain of [BEHIND, IN_GAP]) {
      expect(unknown("New", seconds(LIMIT, -0.001), chain)).to.equal(true);
      expect(unknown("New", LIMIT, chain)).to.equal(false);
      expect(unknown("New", YEARS_LATER, chain)).to.equal(false);
    }
  });

  it("of a Processing invoice is unknown without a limit", () => {
    for (const chain of [BEHIND, IN_GAP]) {
      expect(unknown("Processing", LIMIT, chain)).to.equal(true);
      expect(unknown("Processing", YEARS_LATER, chain)).to.equal(true);
    }
  });

  it("is never unknown for an invoice that is Settled, Expired or Invalid", () => {
    for (const status of ["Settled", "Expired", "Invalid"] as const)
      for (const chain of [BEHIND, IN_GAP])
        for (const now of [BEFORE_EXPIRY, EXPIRES, AFTER_EXPIRY, YEARS_LATER])
          expect(unknown(status, now, chain)).to.equal(false);
  });

  it("of a New invoice whose time is up is unknown exactly while its expiry may not be decided", () => {
    for (const chain of [BEHIND, IN_GAP, CAUGHT_UP, checkedUntil(EXPIRES), checkedUntil(BEFORE_EXPIRY)])
      for (const now of [EXPIRES, AFTER_EXPIRY, seconds(LIMIT, -0.001), LIMIT, YEARS_LATER])
        expect(unknown("New", now, chain)).to.equal(!expiryMayBeDecided({ expiresAt: EXPIRES }, now, chain));
  });
});
