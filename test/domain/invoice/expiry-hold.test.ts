import { expect } from "chai";
import {
  allSeenInTime,
  expiryMayBeDecided,
  type Gap,
  gapSince,
  holdExpiryUntil,
  isArrivalUnknown,
  notAhead,
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

describe("what may have been missed", () => {
  const invoice = { id: "inv_1", createdAt: CREATED };
  const since = (gaps: readonly Gap[], ...paidBySetAside: string[]): Date | null =>
    gapSince(invoice, { gaps, paidBySetAside: new Set(paidBySetAside) });
  const earlier = { beganAt: LONG_AGO, endedAt: seconds(CREATED, -0.001) };

  it("is nothing without a gap since the creation and a transaction that was set aside", () => {
    expect(since([])).to.equal(null);
    expect(since([earlier], "inv_2")).to.equal(null);
  });

  it("begins with the first gap that lasted into the invoice's time, or when it was created", () => {
    const first = { beganAt: BEFORE_EXPIRY, endedAt: EXPIRES };
    const second = { beganAt: AFTER_EXPIRY, endedAt: null };
    expect(since([earlier, second, first])).to.equal(BEFORE_EXPIRY);
    expect(since([{ beganAt: LONG_AGO, endedAt: CREATED }])).to.equal(LONG_AGO);
    expect(since([second])).to.equal(AFTER_EXPIRY);
    expect(since([second], "inv_2", "inv_1")).to.equal(CREATED);
  });

  it("is a payment in time up to the expiry, and a later one from then on", () => {
    const isSeen = (from: Date): boolean =>
      allSeenInTime({ expiresAt: EXPIRES }, { readUntil: EXPIRES, gapSince: from });
    expect([isSeen(EXPIRES), isSeen(seconds(EXPIRES, 0.001))]).to.deep.equal([false, true]);
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
  const checkedUntil = (readUntil: Date) => ({ ...CAUGHT_UP, readUntil });

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
