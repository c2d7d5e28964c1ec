import { expect } from "chai";
import fc from "fast-check";
import { type ClaimFacts, decideClaim, HELD_AFTER_RESTORE } from "../../../domain/webhook/claim";

const AT = new Date("2026-03-01T12:00:00Z");
const first: ClaimFacts = {
  state: "queued",
  requestedAttempt: 1,
  error: null,
  retryAt: null,
  automaticRedelivery: false,
  webhookActive: true,
  overtaken: false,
};
const retry: ClaimFacts = { ...first, requestedAttempt: 2, retryAt: AT, automaticRedelivery: true };
const anyFacts = fc.record<ClaimFacts>({
  state: fc.constantFrom("pending", "queued", "sending", "delivered", "failed", "skipped"),
  requestedAttempt: fc.integer({ min: 1, max: 5 }),
  error: fc.constantFrom(null, "timeout"),
  retryAt: fc.constantFrom(null, AT),
  automaticRedelivery: fc.boolean(),
  webhookActive: fc.boolean(),
  overtaken: fc.boolean(),
});

describe("decideClaim", () => {
  it("sends and ends only what is queued, by itself only what its event or a retry that the webhook asks for requested", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const decision = decideClaim(facts);
        if (decision.kind !== "send") return decision.kind !== "end" || facts.state === "queued";
        const wanted = facts.retryAt === null ? facts.requestedAttempt === 1 : facts.automaticRedelivery;
        const automatic = decision.cause === "automatic";
        return facts.state === "queued" && (!automatic || (wanted && facts.webhookActive));
      }),
    );
  });

  for (const [what, facts, decision] of [
    ["the event's own attempt is sent", first, { kind: "send", cause: "automatic" }],
    ["a retry is sent", retry, { kind: "send", cause: "automatic" }],
    [
      "what a person asked for is sent, whatever the webhook says",
      { ...first, requestedAttempt: 2, webhookActive: false },
      { kind: "send", cause: "manual" },
    ],
    [
      "the event's own is skipped at a disabled webhook",
      { ...first, webhookActive: false },
      { state: "skipped" },
    ],
    [
      "a retry is skipped that a later state has overtaken",
      { ...retry, overtaken: true },
      { error: "overtaken" },
    ],
    [
      "a retry ends as its last attempt at a disabled webhook",
      { ...retry, webhookActive: false, error: "http-503" },
      { state: "failed", error: "http-503" },
    ],
    ["and at one that asks for none any more", { ...retry, automaticRedelivery: false }, { state: "failed" }],
    [
      "the job of a held delivery fails",
      { ...first, state: "failed", error: HELD_AFTER_RESTORE },
      { kind: "failed", code: HELD_AFTER_RESTORE },
    ],
    ["so does that of a failed one", { ...first, state: "failed", error: "timeout" }, { code: "timeout" }],
    ["but not of one that waits for a retry", { ...retry, state: "failed" }, { kind: "done" }],
    ["a doubled job ends", { ...first, state: "sending" }, { kind: "done", reason: "already sending" }],
  ] as [string, ClaimFacts, object][])
    it(`decides that ${what}`, () => expect(decideClaim(facts)).to.include(decision));
});
