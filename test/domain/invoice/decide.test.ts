import { expect } from "chai";
import { DomainError } from "../../../domain/errors";
import { after, created, mark, nextDecisionAt, decideUntilStable } from "../../../domain/invoice/decide";
import type { InvoiceFacts, PaymentFact, SyncFacts } from "../../../domain/invoice/facts";
import { holdMayBeOver, isHeld } from "../../../domain/invoice/state-table";
import {
  AFTER_EXPIRY,
  AFTER_MONITORING,
  BEFORE_EXPIRY,
  BEHIND,
  CAUGHT_UP,
  confirmed,
  event,
  EXPIRES,
  IN_GAP,
  invoice,
  MONITORED,
  payment,
  seconds,
  told,
  UNCHECKED,
} from "./invoice-facts";

/** The invoice after the payments became these. */
function withPayments(facts: InvoiceFacts, ...payments: PaymentFact[]): InvoiceFacts {
  return { ...facts, payments };
}

/** Settles down and returns the state, the published events and the facts after. */
function live(facts: InvoiceFacts, now: Date, sync: SyncFacts = CAUGHT_UP) {
  const { moves, facts: end } = decideUntilStable(facts, now, sync);
  return {
    state: `${end.status}/${end.additionalStatus}`,
    rows: moves.map(({ row }) => row),
    events: told(moves.map(({ event: one }) => one)),
    facts: end,
  };
}

const processing = invoice({
  status: "Processing",
  payments: [payment()],
  emitted: [event("New"), event("Processing")],
});
const expired = invoice({ status: "Expired", emitted: [event("New"), event("Expired")] });
const settled = invoice({
  status: "Settled",
  payments: [confirmed()],
  emitted: [event("New"), event("Settled")],
});

describe("decide: the rows", () => {
  it("row 1: a created invoice is New, with an event", () => {
    expect(created()).to.deep.include({
      row: 1,
      status: "New",
      additionalStatus: "None",
      markedByHand: null,
    });
    expect(created().event).to.deep.equal(event("New"));
  });

  it("row 2: a zero-confirmation payment, confirmed outside a block, settles at once", () => {
    const facts = invoice({ payments: [confirmed({ inBlock: false })] });
    expect(live(facts, BEFORE_EXPIRY).rows).to.deep.equal([2]);
  });

  it("row 3: a payment first seen at the exact expiry is in time", () => {
    const facts = invoice({ payments: [payment({ firstSeenAt: EXPIRES })] });
    expect(live(facts, AFTER_EXPIRY).state).to.equal("Processing/None");
  });

  it("row 5: an invoice expires at its exact expiry, not before", () => {
    expect(live(invoice(), seconds(EXPIRES, -0.001)).state).to.equal("New/None");
    expect(live(invoice(), EXPIRES).state).to.equal("Expired/None");
  });

  it("row 5: networks caught up to exactly the expiry suffice, one millisecond less does not", () => {
    const upTo = (readUntil: Date): SyncFacts => ({ ...BEHIND, readUntil });
    expect(live(invoice(), AFTER_EXPIRY, upTo(EXPIRES)).state).to.equal("Expired/None");
    expect(live(invoice(), AFTER_EXPIRY, upTo(seconds(EXPIRES, -0.001))).state).to.equal("New/None");
  });

  it("row 5: expiry waits for the networks at most for the hold", () => {
    expect(live(invoice(), seconds(BEHIND.holdExpiryUntil, -0.001), BEHIND).state).to.equal("New/None");
    expect(live(invoice(), BEHIND.holdExpiryUntil, BEHIND).state).to.equal("Expired/None");
  });

  it("row 5: expiry waits for a gap at most for the hold", () => {
    expect(live(invoice(), seconds(IN_GAP.holdExpiryUntil, -0.001), IN_GAP).state).to.equal("New/None");
    expect(live(invoice(), IN_GAP.holdExpiryUntil, IN_GAP).state).to.equal("Expired/None");
    expect(live(invoice({ payments: [confirmed()] }), AFTER_EXPIRY, IN_GAP).state).to.equal("Settled/None");
  });

  it("row 6, then 3: Processing is published again, in a round of its own, each time that it went back to New", () => {
    const back = live(withPayments(processing, payment({ state: "evicted" })), BEFORE_EXPIRY).facts;
    const again = live(withPayments(back, payment()), BEFORE_EXPIRY).facts;
    expect(again.emitted.at(-1)).to.deep.equal(event("Processing", "None", 2));
    const backAgain = live(withPayments(again), BEFORE_EXPIRY).facts;
    const third = live(withPayments(backAgain, payment()), BEFORE_EXPIRY).facts;
    expect(third.emitted.at(-1)).to.deep.equal(event("Processing", "None", 3));
  });

  it("row 7: at the exact expiry a vanished payment no longer leads back to New", () => {
    const facts = withPayments(processing, payment({ state: "evicted" }));
    expect(live(facts, EXPIRES)).to.deep.include({
      state: "Invalid/None",
      rows: [7],
      events: ["Invalid/None"],
    });
  });

  it("row 8: at the end of monitoring a price still in the mempool is Invalid, not a moment before", () => {
    expect(live(processing, seconds(MONITORED, -0.001)).state).to.equal("Processing/None");
    expect(live(processing, MONITORED)).to.deep.include({ state: "Invalid/None", rows: [8] });
  });

  it("row 8: the end of monitoring waits for the networks without limit", () => {
    const yearsLater = seconds(MONITORED, 100_000_000);
    const behind: SyncFacts = {
      ...BEHIND,
      readUntil: seconds(MONITORED, -0.001),
      holdExpiryUntil: EXPIRES,
    };
    expect(live(processing, yearsLater, behind).rows).to.deep.equal([]);
    expect(live(processing, yearsLater, { ...behind, readUntil: null }).rows).to.deep.equal([]);
    expect(live(processing, yearsLater, { ...behind, readUntil: MONITORED }).rows).to.deep.equal([8]);
  });

  it("row 12: a payment that was double-spent does not count, even while its row still says confirmed", () => {
    const facts = withPayments(settled, confirmed({ inBlock: false, doubleSpent: true }));
    expect(live(facts, AFTER_EXPIRY).state).to.equal("Invalid/None");
  });

  it("row 12: a double spend of dust changes nothing", () => {
    const dust = payment({ state: "replaced", doubleSpent: true, neverCounts: true });
    expect(live(withPayments(settled, payment({ state: "evicted" }), dust), AFTER_EXPIRY).rows).to.deep.equal(
      [],
    );
  });

  it("rows 12 and 9 in turn: each is published again after the other", () => {
    const gone = confirmed({ state: "replaced", doubleSpent: true });
    const first = live(withPayments(settled, gone), AFTER_EXPIRY);
    const second = live(withPayments(first.facts, gone, confirmed()), AFTER_EXPIRY);
    const third = live(withPayments(second.facts, gone, gone), AFTER_EXPIRY);
    const fourth = live(withPayments(third.facts, gone, gone, confirmed()), AFTER_EXPIRY);
    const fifth = live(withPayments(fourth.facts, gone, gone, gone), AFTER_EXPIRY);
    expect([first, second, third, fourth, fifth].map(({ events }) => events)).to.deep.equal([
      ["Invalid/None"],
      ["Settled/PaidAfterExpiration"],
      ["Invalid/None again"],
      ["Settled/PaidAfterExpiration again"],
      ["Invalid/None again"],
    ]);
    expect(fifth.facts.emitted.at(-1)?.round).to.equal(3);
    expect(fourth.state).to.equal("Settled/PaidAfterExpiration");
  });
});

describe("mark: rows 13 and 14", () => {
  it("keeps a system Invalid that is marked Invalid, without an event, so that no payment settles it", () => {
    const invalid = invoice({ status: "Invalid", emitted: [event("New"), event("Invalid")] });
    const move = mark(invalid, "Invalid");
    expect(move).to.deep.include({ row: 14, status: "Invalid", markedByHand: "Invalid", event: null });
    const kept = after(invalid, move);
    expect(live(withPayments(kept, confirmed()), AFTER_EXPIRY).rows).to.deep.equal([]);
    expect(() => mark(kept, "Invalid")).to.throw(DomainError);
  });

  it("publishes every mark, each in a round of its own", () => {
    let facts = invoice();
    const events = (["Settled", "Invalid", "Settled", "Invalid"] as const).map((to) => {
      const move = mark(facts, to);
      facts = after(facts, move);
      return move.event;
    });
    expect(events.map((one) => [one?.type, one?.round, one?.byHand])).to.deep.equal([
      ["Settled", 1, true],
      ["Invalid", 1, true],
      ["Settled", 2, true],
      ["Invalid", 2, true],
    ]);
  });

  it("changes by nothing but another mark: no payment, no double spend, no clock", () => {
    const byHand = after(invoice(), mark(invoice(), "Settled"));
    const invalid = after(invoice(), mark(invoice(), "Invalid"));
    const gone = confirmed({ state: "replaced", doubleSpent: true });
    for (const now of [BEFORE_EXPIRY, AFTER_EXPIRY, AFTER_MONITORING]) {
      expect(live(byHand, now).rows).to.deep.equal([]);
      expect(live(withPayments(byHand, gone), now).rows).to.deep.equal([]);
      expect(live(withPayments(invalid, confirmed()), now).rows).to.deep.equal([]);
    }
  });
});

describe("decide: the edge cases", () => {
  it("10: outputs below the dust limit never change the state, in any state", () => {
    const dust = confirmed({ neverCounts: true });
    expect(live(invoice({ payments: [dust] }), BEFORE_EXPIRY).rows).to.deep.equal([]);
    expect(live(invoice({ payments: [dust] }), AFTER_EXPIRY).state).to.equal("Expired/None");
    expect(live(withPayments(expired, dust), AFTER_EXPIRY).rows).to.deep.equal([]);
    expect(live(withPayments(settled, confirmed(), dust), AFTER_EXPIRY).rows).to.deep.equal([]);
  });

  it("11: a part first seen in the last instant of monitoring counts, though recorded after it", () => {
    const part = payment({ firstSeenAt: MONITORED, amountSats: 1n });
    expect(live(withPayments(expired, part), AFTER_MONITORING).state).to.equal("Expired/Underpaid");
  });
});

describe("isHeld", () => {
  it("is true only while a due expiry waits for the networks", () => {
    expect(isHeld(invoice(), BEFORE_EXPIRY, BEHIND)).to.equal(false);
    expect(isHeld(invoice(), EXPIRES, BEHIND)).to.equal(true);
    expect(isHeld(invoice(), EXPIRES, CAUGHT_UP)).to.equal(false);
    expect(isHeld(invoice(), BEHIND.holdExpiryUntil, BEHIND)).to.equal(false);
  });

  it("is false when no expiry is due: paid in time, or no longer New", () => {
    expect(isHeld(invoice({ payments: [payment()] }), AFTER_EXPIRY, BEHIND)).to.equal(false);
    for (const facts of [processing, settled, expired])
      expect(isHeld(facts, AFTER_EXPIRY, BEHIND)).to.equal(false);
  });

  it("is true while a loss waits to be checked: of a Processing invoice after the expiry, of a Settled one", () => {
    const vanished = withPayments(processing, payment({ state: "replaced" }));
    const doubleSpent = withPayments(settled, payment({ state: "replaced", doubleSpent: true }));
    for (const facts of [vanished, doubleSpent]) {
      expect(isHeld(facts, AFTER_EXPIRY, UNCHECKED)).to.equal(true);
      expect(isHeld(facts, AFTER_EXPIRY, { ...UNCHECKED, holdExpiryUntil: EXPIRES })).to.equal(true);
      expect(isHeld(facts, AFTER_EXPIRY, CAUGHT_UP)).to.equal(false);
    }
    expect(isHeld(doubleSpent, AFTER_EXPIRY, { ...CAUGHT_UP, gapSince: AFTER_EXPIRY })).to.equal(true);
    expect(isHeld(doubleSpent, BEFORE_EXPIRY, UNCHECKED)).to.equal(true);
    expect(isHeld(settled, AFTER_EXPIRY, UNCHECKED), "nothing was lost").to.equal(false);
  });

  it("is false for an expiry that has nothing else to wait for than another invoice's loss", () => {
    expect(isHeld(invoice(), AFTER_EXPIRY, UNCHECKED)).to.equal(false);
    expect(live(invoice(), AFTER_EXPIRY, UNCHECKED).state).to.equal("Expired/None");
  });
});

describe("holdMayBeOver", () => {
  it("is false while what the invoice's status waits for has not come", () => {
    const inStatus = (status: InvoiceFacts["status"], sync: SyncFacts): boolean =>
      holdMayBeOver({ status, expiresAt: EXPIRES }, AFTER_EXPIRY, sync);
    expect(inStatus("New", BEHIND)).to.equal(false);
    expect(inStatus("New", CAUGHT_UP)).to.equal(true);
    expect(inStatus("New", UNCHECKED), "an expiry does not wait for a loss").to.equal(true);
    expect(inStatus("Processing", IN_GAP)).to.equal(false);
    expect(inStatus("Processing", UNCHECKED)).to.equal(false);
    expect(inStatus("Processing", CAUGHT_UP)).to.equal(true);
    expect(inStatus("Settled", UNCHECKED)).to.equal(false);
    expect(inStatus("Settled", { ...CAUGHT_UP, gapSince: AFTER_EXPIRY })).to.equal(false);
    expect(inStatus("Settled", BEHIND), "a loss is no expiry").to.equal(true);
  });

  it("does not ask a settled invoice's loss to wait for the expiry", () => {
    expect(holdMayBeOver({ status: "Settled", expiresAt: EXPIRES }, BEFORE_EXPIRY, CAUGHT_UP)).to.equal(true);
  });
});

describe("nextDecisionAt", () => {
  it("is the expiry of a New invoice", () => {
    expect(nextDecisionAt(invoice(), BEFORE_EXPIRY, CAUGHT_UP)).to.deep.equal(EXPIRES);
  });

  it("is now when a decision is due", () => {
    expect(nextDecisionAt(invoice(), AFTER_EXPIRY, CAUGHT_UP)).to.deep.equal(AFTER_EXPIRY);
    expect(nextDecisionAt(invoice({ payments: [payment()] }), BEFORE_EXPIRY, CAUGHT_UP)).to.deep.equal(
      BEFORE_EXPIRY,
    );
  });

  it("is the end of the longest hold while expiry is held", () => {
    expect(nextDecisionAt(invoice(), AFTER_EXPIRY, BEHIND)).to.deep.equal(BEHIND.holdExpiryUntil);
  });

  it("is left to the next check when a loss is held for longer than any expiry", () => {
    const vanished = withPayments(processing, payment({ state: "replaced" }));
    const until = UNCHECKED.holdExpiryUntil;
    expect(nextDecisionAt(vanished, seconds(until, -1), UNCHECKED)).to.deep.equal(until);
    expect(nextDecisionAt(vanished, until, UNCHECKED)).to.equal(null);
    expect(isHeld(vanished, until, UNCHECKED), "the sweep finds it by this").to.equal(true);
  });

  it("is the end of monitoring while Processing", () => {
    expect(nextDecisionAt(processing, BEFORE_EXPIRY, BEHIND)).to.deep.equal(MONITORED);
    expect(nextDecisionAt(processing, AFTER_EXPIRY, CAUGHT_UP)).to.deep.equal(MONITORED);
  });

  it("is a day after a payment left its block when monitoring ends before that", () => {
    const leftBlockAt = seconds(MONITORED, -60);
    const back = withPayments(processing, payment({ leftBlockAt }));
    const end = seconds(leftBlockAt, 86_400);
    expect(nextDecisionAt(back, AFTER_MONITORING, CAUGHT_UP)).to.deep.equal(end);
    const upTo = (readUntil: Date): SyncFacts => ({ ...BEHIND, readUntil });
    expect(nextDecisionAt(back, end, upTo(seconds(end, -1)))).to.deep.equal(seconds(end, 30));
    expect(nextDecisionAt(back, end, { ...upTo(end), gapSince: AFTER_EXPIRY })).to.deep.equal(
      seconds(end, 30),
    );
    expect(nextDecisionAt(back, end, { ...upTo(end), lossAt: EXPIRES })).to.deep.equal(seconds(end, 30));
    expect(nextDecisionAt(back, end, upTo(end))).to.deep.equal(end);
  });

  it("is 30 s ahead while the end of monitoring waits for the networks", () => {
    expect(nextDecisionAt(processing, AFTER_MONITORING, BEHIND)).to.deep.equal(seconds(AFTER_MONITORING, 30));
  });

  it("is null after monitoring when blocks hold the whole price", () => {
    const facts = withPayments(processing, payment({ inBlock: true }));
    expect(nextDecisionAt(facts, AFTER_MONITORING, BEHIND)).to.equal(null);
    expect(nextDecisionAt(facts, AFTER_MONITORING, CAUGHT_UP)).to.equal(null);
  });

  it("is null when only a payment or a mark by hand can change the invoice", () => {
    const invalid = after(invoice(), mark(invoice(), "Invalid"));
    for (const facts of [settled, expired, invalid])
      for (const now of [BEFORE_EXPIRY, AFTER_EXPIRY, AFTER_MONITORING])
        expect(nextDecisionAt(facts, now, BEHIND)).to.equal(null);
  });
});
