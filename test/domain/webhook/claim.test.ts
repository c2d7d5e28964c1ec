import { expect } from "chai";
import fc from "fast-check";
import {
  decideClaim,
  DELIVERY_STATES,
  freeSlot,
  HELD_AFTER_RESTORE,
  inFlightLimit,
  LINE_LENGTH,
  mayRetry,
  type ClaimFacts,
} from "../../../domain/webhook/claim";

const NOW = new Date("2026-03-01T12:00:00Z");
const fresh: ClaimFacts = {
  state: "pending",
  requestedAttempt: 1,
  error: null,
  retryAt: null,
  automaticRedelivery: false,
  now: NOW,
  webhookActive: true,
  failureStreak: 0,
  takenSlots: [],
  earlierOpen: false,
  laterState: null,
  unreadableSince: null,
  ahead: 0,
};
const anyFacts = fc.record<ClaimFacts>({
  state: fc.constantFrom(...DELIVERY_STATES),
  requestedAttempt: fc.integer({ min: 1, max: 5 }),
  error: fc.constantFrom(null, "timeout"),
  retryAt: fc.constantFrom(null, NOW, new Date(NOW.getTime() + 4_000)),
  automaticRedelivery: fc.boolean(),
  now: fc.constant(NOW),
  webhookActive: fc.boolean(),
  failureStreak: fc.nat(6),
  takenSlots: fc.uniqueArray(fc.integer({ min: -1, max: 3 })),
  earlierOpen: fc.boolean(),
  laterState: fc.constantFrom(null, "delivered", "sending"),
  unreadableSince: fc.constant(null),
  ahead: fc.nat(1_000),
});

describe("decideClaim", () => {
  it("sends the event's own attempt once it is requested", () => {
    expect(decideClaim(fresh, 1)).to.deep.equal({ kind: "send", number: 1, cause: "automatic" });
  });

  it("never sends a number that was assigned before, whatever else is true", () => {
    fc.assert(
      fc.property(anyFacts, fc.integer({ min: 1, max: 8 }), (facts, asked) => {
        const decision = decideClaim(facts, asked);
        if (decision.kind !== "send") return true;
        return facts.state === "pending"
          ? decision.number >= facts.requestedAttempt
          : facts.state !== "sending" && decision.number > facts.requestedAttempt;
      }),
    );
  });

  it("sends automatically only what is pending and was requested by its event, or as a retry that the webhook asks for", () => {
    fc.assert(
      fc.property(anyFacts, fc.integer({ min: 1, max: 8 }), (facts, asked) => {
        const decision = decideClaim(facts, asked);
        const automatic = decision.kind === "send" && decision.cause === "automatic";
        const wanted = facts.retryAt === null ? facts.requestedAttempt === 1 : facts.automaticRedelivery;
        return !automatic || (facts.state === "pending" && wanted && facts.webhookActive);
      }),
    );
  });

  it("requests a retry when its time has come, and not before, whatever number is asked of those that are used", () => {
    const failed: ClaimFacts = { ...fresh, state: "failed", automaticRedelivery: true, retryAt: NOW };
    expect(decideClaim(failed, 1)).to.deep.equal({ kind: "retry" });
    const later = { ...failed, retryAt: new Date(NOW.getTime() + 4_000) };
    expect(decideClaim(later, 1)).to.deep.equal({ kind: "wait-for-retry", delayMs: 4_000 });
    expect(decideClaim(later, 2)).to.deep.equal({ kind: "send", number: 2, cause: "manual" });
    const requested: ClaimFacts = { ...failed, state: "pending", requestedAttempt: 2 };
    expect(decideClaim(requested, 1)).to.deep.equal({ kind: "send", number: 2, cause: "automatic" });
  });

  it("ends a retry of a webhook that is disabled, deleted, or does not ask for it any more", () => {
    const requested: ClaimFacts = { ...fresh, requestedAttempt: 2, retryAt: NOW, automaticRedelivery: true };
    expect(decideClaim({ ...requested, webhookActive: false }, 2)).to.deep.equal({ kind: "end-retry" });
    expect(decideClaim({ ...requested, automaticRedelivery: false }, 2)).to.deep.equal({ kind: "end-retry" });
  });

  it("respects the endpoint's limit and the invoice's order, by hand too", () => {
    fc.assert(
      fc.property(anyFacts, fc.integer({ min: 1, max: 8 }), (facts, asked) => {
        const decision = decideClaim(facts, asked);
        return (
          decision.kind !== "send" ||
          (!facts.earlierOpen && facts.takenSlots.length < inFlightLimit(facts.failureStreak))
        );
      }),
    );
  });

  it("checks again sooner near the front, more slowly at a failing endpoint, and not at all far back", () => {
    const wait = (ahead: number, failureStreak = 0): number => {
      const decision = decideClaim({ ...fresh, takenSlots: [0, 1, 2, 3], ahead, failureStreak }, 1);
      return decision.kind === "wait" ? decision.delayMs : -1;
    };
    expect(wait(0)).to.be.within(1, 1_000);
    expect(wait(10)).to.be.greaterThan(wait(0));
    expect(wait(0, 3)).to.be.greaterThan(wait(0));
    expect(decideClaim({ ...fresh, takenSlots: [0, 1, 2, 3], ahead: LINE_LENGTH }, 1).kind).to.equal("done");
    expect(decideClaim({ ...fresh, ahead: LINE_LENGTH }, 1).kind).to.equal("send");
  });

  it("allows four at a time, and one after three failures in a row", () => {
    expect([0, 1, 2, 3, 50].map(inFlightLimit)).to.deep.equal([4, 4, 4, 1, 1]);
  });

  it("assigns a free slot within the limit, and different ones to neighbours", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const limit = inFlightLimit(facts.failureStreak);
        const slot = freeSlot(facts);
        return facts.takenSlots.length >= limit || (slot < limit && !facts.takenSlots.includes(slot));
      }),
    );
    const line = [0, 1, 2, 3].map((ahead) => freeSlot({ ...fresh, ahead }));
    expect(line).to.have.members([0, 1, 2, 3]);
  });

  it("treats a Retry in the queue's board, which requests the next number, as one by hand", () => {
    expect(decideClaim({ ...fresh, state: "failed" }, 2)).to.deep.equal({
      kind: "send",
      number: 2,
      cause: "manual",
    });
  });

  it("sends a held delivery for no number, until it is redelivered by hand", () => {
    const held: ClaimFacts = { ...fresh, state: "failed", error: HELD_AFTER_RESTORE };
    fc.assert(
      fc.property(anyFacts, fc.integer({ min: 1, max: 8 }), (facts, asked) => {
        const decision = decideClaim({ ...facts, state: "failed", error: HELD_AFTER_RESTORE }, asked);
        return decision.kind === "failed" && decision.code === HELD_AFTER_RESTORE;
      }),
    );
    const redelivered: ClaimFacts = { ...held, state: "pending", requestedAttempt: 2 };
    expect(decideClaim(redelivered, 2)).to.deep.equal({ kind: "send", number: 2, cause: "manual" });
  });

  it("reports to a doubled or restored job the state of its number", () => {
    expect(decideClaim({ ...fresh, state: "delivered" }, 1).kind).to.equal("done");
    expect(decideClaim({ ...fresh, state: "skipped" }, 1).kind).to.equal("done");
    expect(decideClaim({ ...fresh, state: "failed", error: "timeout" }, 1)).to.deep.equal({
      kind: "failed",
      code: "timeout",
    });
    expect(decideClaim({ ...fresh, state: "sending" }, 1).kind).to.equal("wait");
  });
});

describe("mayRetry", () => {
  const failed = (httpStatus: number | null) => mayRetry({ outcome: "failed", httpStatus });

  it("is true without an answer, and for 5xx, 408 and 429", () => {
    expect([null, 500, 502, 503, 599, 408, 429].map(failed)).to.not.include(false);
  });

  it("is false for every other answer", () => {
    expect([301, 307, 400, 401, 403, 404, 410, 422].map(failed)).to.not.include(true);
    expect(mayRetry({ outcome: "delivered", httpStatus: 200 })).to.equal(false);
  });
});
