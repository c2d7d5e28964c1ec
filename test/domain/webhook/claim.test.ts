import { expect } from "chai";
import fc from "fast-check";
import {
  decideClaim,
  DELIVERY_STATES,
  freeSlot,
  inFlightLimit,
  LINE_LENGTH,
  type ClaimFacts,
} from "../../../domain/webhook/claim";

const fresh: ClaimFacts = {
  state: "pending",
  requestedAttempt: 1,
  error: null,
  webhookActive: true,
  failureStreak: 0,
  takenSlots: [],
  earlierOpen: false,
  ahead: 0,
};
const anyFacts = fc.record<ClaimFacts>({
  state: fc.constantFrom(...DELIVERY_STATES),
  requestedAttempt: fc.integer({ min: 1, max: 5 }),
  error: fc.constantFrom(null, "timeout"),
  webhookActive: fc.boolean(),
  failureStreak: fc.nat(6),
  takenSlots: fc.uniqueArray(fc.integer({ min: -1, max: 3 })),
  earlierOpen: fc.boolean(),
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

  it("sends automatically only what is pending and was requested by its event only", () => {
    fc.assert(
      fc.property(anyFacts, fc.integer({ min: 1, max: 8 }), (facts, asked) => {
        const decision = decideClaim(facts, asked);
        const automatic = decision.kind === "send" && decision.cause === "automatic";
        return (
          !automatic || (facts.state === "pending" && facts.requestedAttempt === 1 && facts.webhookActive)
        );
      }),
    );
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
