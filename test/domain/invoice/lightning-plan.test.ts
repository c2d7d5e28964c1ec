import { expect } from "chai";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { paidSats, remainingSats } from "../../../domain/invoice/sums";
import {
  lightningPlan,
  type LightningPlan,
  type OpenBolt11,
  shownOf,
  stepsOf,
  withoutNode,
} from "../../../domain/invoice/lightning-plan";
import { INVOICE_STATUSES, PAYMENT_STATES } from "../../../domain/invoice/status";
import {
  AFTER_EXPIRY,
  AFTER_MONITORING,
  BEFORE_EXPIRY,
  DUE,
  EXPIRES,
  invoice,
  payment,
  seconds,
} from "./invoice-facts";
import { situation, tableBelow } from "./scenario-table";

const SCENARIOS = readFileSync(join(__dirname, "scenarios.txt"), "utf8");
const percent = (sats: bigint): string => `${Number((sats * 1_000n) / DUE) / 10}%`;

/** `100% going, 60%` */
function bolt11sIn(text: string): OpenBolt11[] {
  if (text === "none") return [];
  return text.split(", ").map((one) => {
    const [, share, going] = /^(\d+)%( going)?$/.exec(one) ?? [];
    if (share === undefined) throw new Error(`The table of BOLT11s does not know "${one}".`);
    return { amountSats: (DUE * BigInt(share)) / 100n, cancelWanted: going !== undefined };
  });
}

/** The plan in the words of the table. */
function words({ keep, cancel, wantedSats }: LightningPlan<OpenBolt11>): string {
  const steps = [
    ...cancel.map(({ amountSats }) => `cancel ${percent(amountSats)}`),
    ...(keep ? [`keep ${percent(keep.amountSats)}`] : []),
    ...(wantedSats !== null && !keep
      ? [`${cancel.length > 0 ? "then " : ""}issue ${percent(wantedSats)}`]
      : []),
  ];
  return steps.join(", ") || "nothing";
}

describe("lightningPlan", () => {
  describe("follows the scenarios", () => {
    const lines = tableBelow(SCENARIOS, "| From | Facts | BOLT11s before | What happens |");
    for (const [from = "", facts = "", before = "", happens = ""] of lines)
      it(`${from}: ${facts}; BOLT11s: ${before} → ${happens}`, () => {
        const { facts: known, now } = situation(from, facts);
        expect(words(lightningPlan(known, bolt11sIn(before), now))).to.equal(happens);
      });

    it("has rows, and refuses unknown words", () => {
      expect(lines.length).to.be.at.least(10);
      expect(() => bolt11sIn("half")).to.throw("half");
    });
  });

  describe("in the last seconds", () => {
    const late = seconds(EXPIRES, -1);

    it("issues nothing that nobody could pay in time", () => {
      expect(words(lightningPlan(invoice(), [], late))).to.equal("nothing");
      expect(words(lightningPlan(invoice(), [], seconds(EXPIRES, -3)))).to.equal("issue 100%");
    });

    it("keeps the BOLT11 that is there", () => {
      expect(words(lightningPlan(invoice(), bolt11sIn("100%"), late))).to.equal("keep 100%");
      expect(words(lightningPlan(invoice(), bolt11sIn("100%"), EXPIRES))).to.equal("cancel 100%");
    });
  });

  describe("by property", () => {
    const amounts = fc.constantFrom(1n, 40_000n, 60_000n, DUE - 1n, DUE, DUE + 1n);
    const situations = fc.record({
      facts: fc
        .record({
          status: fc.constantFrom(...INVOICE_STATUSES),
          minDueSats: fc.constantFrom(1n, 90_000n, DUE),
          payments: fc.array(
            fc
              .record({
                amountSats: amounts,
                state: fc.constantFrom(...PAYMENT_STATES),
                type: fc.constantFrom("BTC-CHAIN" as const, "BTC-LN" as const),
                neverCounts: fc.boolean(),
              })
              .map(payment),
            { maxLength: 4 },
          ),
        })
        .map(invoice),
      open: fc.array(fc.record({ amountSats: amounts, cancelWanted: fc.boolean() }), { maxLength: 4 }),
      now: fc.constantFrom(BEFORE_EXPIRY, seconds(EXPIRES, -1), EXPIRES, AFTER_EXPIRY, AFTER_MONITORING),
    });
    const always = (check: (given: typeof situations extends fc.Arbitrary<infer T> ? T : never) => void) =>
      fc.assert(fc.property(situations, check), { numRuns: 2_000 });

    it("never lets a customer pay more than the price: a BOLT11 has the remainder", () => {
      always(({ facts, open, now }) => {
        const { keep, wantedSats } = lightningPlan(facts, open, now);
        for (const sats of [keep?.amountSats ?? 0n, wantedSats ?? 0n])
          if (sats > 0n) {
            expect(sats).to.equal(remainingSats({ ...facts, paidSats: paidSats(facts) }));
            expect(sats + paidSats(facts)).to.equal(facts.dueSats);
          }
      });
    });

    it("leaves no BOLT11 open unless the invoice is New and in time", () => {
      always(({ facts, open, now }) => {
        const { keep, wantedSats } = lightningPlan(facts, open, now);
        if (facts.status !== "New" || now >= facts.expiresAt)
          expect([keep, wantedSats]).to.deep.equal([null, null]);
      });
    });

    it("plans one step per BOLT11, keeps one at most, and none that was to be cancelled", () => {
      always(({ facts, open, now }) => {
        const { keep, cancel } = lightningPlan(facts, open, now);
        expect([...cancel, ...(keep ? [keep] : [])]).to.have.same.members(open);
        if (keep) {
          expect(cancel).not.to.include(keep);
          expect(keep.cancelWanted).to.equal(false);
        }
      });
    });

    it("plans nothing more once it was followed", () => {
      always(({ facts, open, now }) => {
        const { keep, wantedSats } = lightningPlan(facts, open, now);
        const left = keep ?? (wantedSats === null ? null : { amountSats: wantedSats, cancelWanted: false });
        const again = lightningPlan(facts, left ? [left] : [], now);
        expect([again.keep, again.cancel]).to.deep.equal([left, []]);
      });
    });
  });
});

describe("the steps of a Lightning plan", () => {
  const shown = { amountSats: 1n, cancelWanted: false, bolt11: "lnbc1" };
  const going = { ...shown, cancelWanted: true };
  const unshown = { ...shown, bolt11: null };
  type Row = typeof shown | typeof unshown;
  const plan = (given: Partial<LightningPlan<Row>>): LightningPlan<Row> => ({
    keep: null,
    cancel: [],
    wantedSats: null,
    ...given,
  });

  it("cancel at once what was never shown, and by the node what was shown, unless it is marked already", () => {
    expect(stepsOf(plan({ cancel: [shown, going, unshown] }))).to.deep.equal({
      cancelNow: [unshown],
      cancelByNode: [shown],
      issueSats: null,
      callsNode: true,
    });
  });

  it("issue nothing while a BOLT11 that was shown may be paid, even one that is being canceled", () => {
    for (const one of [shown, going])
      expect(stepsOf(plan({ cancel: [one], wantedSats: 5n }))).to.include({
        issueSats: null,
        callsNode: true,
      });
    expect(stepsOf(plan({ cancel: [unshown], wantedSats: 5n }))).to.include({
      issueSats: 5n,
      callsNode: true,
    });
  });

  it("issue nothing beside the BOLT11 that is kept, whose text LND is asked for", () => {
    for (const keep of [shown, unshown])
      expect(stepsOf(plan({ keep, wantedSats: 5n }))).to.include({ issueSats: null, callsNode: true });
  });

  it("issue and promise nothing without a Lightning node, which is not called then, but what is on its way", () => {
    const bare = withoutNode(plan({ wantedSats: 5n }));
    expect(stepsOf(bare)).to.include({ issueSats: null, callsNode: false });
    expect(shownOf(bare, "being-issued").reason).to.equal("no-longer-payable");
    expect(stepsOf(withoutNode(plan({ cancel: [shown], wantedSats: 5n })))).to.include({ callsNode: true });
    const kept = plan({ keep: unshown, wantedSats: 5n });
    expect(withoutNode(kept)).to.equal(kept);
  });

  it("are none when nothing is open and nothing is due", () => {
    const none = { cancelNow: [], cancelByNode: [], issueSats: null, callsNode: false };
    expect(stepsOf(plan({}))).to.deep.equal(none);
  });

  it("show the BOLT11 that is kept, or why there is none", () => {
    expect(shownOf(plan({ keep: shown, wantedSats: 1n }), "being-issued")).to.deep.equal({
      destination: "lnbc1",
      reason: null,
    });
    const reason = (given: Partial<LightningPlan<Row>>, before: Parameters<typeof shownOf>[1]) =>
      shownOf(plan(given), before).reason;
    expect(reason({ keep: unshown, wantedSats: 1n }, null)).to.equal("being-issued");
    expect(reason({ wantedSats: 1n }, "no-longer-payable")).to.equal("being-issued");
    expect(reason({}, "being-issued")).to.equal("no-longer-payable");
    expect(reason({}, "node-unavailable")).to.equal("no-longer-payable");
  });

  it("keep what the node reported last as the reason, until its next report", () => {
    for (const before of ["node-unavailable", "exceeds-receivable", "node-clock"] as const)
      expect(shownOf(plan({ wantedSats: 1n }), before)).to.deep.equal({ destination: null, reason: before });
  });
});
