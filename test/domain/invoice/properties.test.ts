import { expect } from "chai";
import fc from "fast-check";
import { after, decide, mark, mayBeMarked, decideUntilStable } from "../../../domain/invoice/decide";
import type { InvoiceFacts, LatestEvent, PaymentFact, SyncFacts } from "../../../domain/invoice/facts";
import { ADDITIONAL_STATUSES, INVOICE_STATUSES, MARKS, PAYMENT_STATES } from "../../../domain/invoice/status";
import {
  AFTER_EXPIRY,
  AFTER_MONITORING,
  BEFORE_EXPIRY,
  BEHIND,
  CAUGHT_UP,
  CREATED,
  DUE,
  event,
  EXPIRES,
  invoice,
  MONITORED,
  payment,
  seconds,
} from "./invoice-facts";

const IN_TIME = seconds(CREATED, 60);
const LATE = seconds(EXPIRES, 1);
const VERY_LATE = seconds(MONITORED, 1);

/** Amounts that meet the borders often. */
const amounts = fc.oneof(
  fc.constantFrom(1n, 10_000n, 40_000n, 50_000n, 60_000n, 90_000n, DUE - 1n, DUE, DUE + 1n),
  fc.bigInt({ min: 1n, max: 150_000n }),
);
const minDues = fc.constantFrom(1n, 50_000n, 90_000n, DUE);
const syncs = fc.constantFrom<SyncFacts>(
  CAUGHT_UP,
  BEHIND,
  { ...BEHIND, readUntil: EXPIRES },
  { ...BEHIND, holdExpiryUntil: EXPIRES },
  { ...CAUGHT_UP, gapSince: AFTER_EXPIRY },
  { ...CAUGHT_UP, lossAt: EXPIRES },
  { ...CAUGHT_UP, readUntil: MONITORED, gapSince: CREATED },
);
const nows = fc.constantFrom(BEFORE_EXPIRY, EXPIRES, AFTER_EXPIRY, MONITORED, AFTER_MONITORING);

/** Any payment whatever, also such as no node would report. */
const anyPayment: fc.Arbitrary<PaymentFact> = fc.record({
  type: fc.constantFrom("BTC-CHAIN", "BTC-LN"),
  amountSats: amounts,
  state: fc.constantFrom(...PAYMENT_STATES),
  firstSeenAt: fc.constantFrom(IN_TIME, EXPIRES, LATE, MONITORED, VERY_LATE),
  inBlock: fc.boolean(),
  leftBlockAt: fc.constantFrom(null, IN_TIME, LATE, MONITORED),
  contested: fc.boolean(),
  neverCounts: fc.boolean(),
  doubleSpent: fc.boolean(),
});

const anyKind = fc.tuple(fc.constantFrom(...INVOICE_STATUSES), fc.constantFrom(...ADDITIONAL_STATUSES));

/** All events that an invoice had, in their order; some kinds several times. */
const anyEvents: fc.Arbitrary<LatestEvent[]> = fc
  .uniqueArray(anyKind, { selector: (kind) => kind.join("/"), minLength: 1, maxLength: 6 })
  .chain((kinds) => fc.array(fc.constantFrom(...kinds), { maxLength: 20 }))
  .map((kinds) =>
    kinds.map(([type, additionalStatus], at) =>
      event(
        type,
        additionalStatus,
        kinds.slice(0, at + 1).filter((kind) => kind[0] === type && kind[1] === additionalStatus).length,
      ),
    ),
  );

/** What a decision is given of them. */
const latestOf = (events: readonly LatestEvent[]): LatestEvent[] => [
  ...new Map(events.map((one) => [`${one.type}/${one.additionalStatus}`, one])).values(),
];

const STATES = [
  ["New", "None", null],
  ["Processing", "None", null],
  ["Settled", "None", null],
  ["Settled", "Overpaid", null],
  ["Settled", "PaidAfterExpiration", null],
  ["Settled", "None", "Settled"],
  ["Settled", "Overpaid", "Settled"],
  ["Expired", "None", null],
  ["Expired", "Underpaid", null],
  ["Invalid", "None", null],
  ["Invalid", "None", "Invalid"],
] as const;

/** Any invoice in any state with any past, whether it could have come there or not. */
const anyInvoice: fc.Arbitrary<InvoiceFacts> = fc
  .record({
    state: fc.constantFrom(...STATES),
    minDueSats: minDues,
    payments: fc.array(anyPayment, { maxLength: 5 }),
    events: anyEvents,
  })
  .map(({ state: [status, additionalStatus, markedByHand], minDueSats, payments, events }) =>
    invoice({ status, additionalStatus, markedByHand, minDueSats, payments, emitted: latestOf(events) }),
  );

function confirmedSum(facts: InvoiceFacts): bigint {
  return facts.payments
    .filter(({ state, neverCounts, doubleSpent }) => state === "confirmed" && !neverCounts && !doubleSpent)
    .reduce((sum, { amountSats }) => sum + amountSats, 0n);
}

/** One report about a payment. A payment only grows here: seen, in a block, confirmed. */
interface Report {
  payment: number;
  stage: 0 | 1 | 2;
}

interface Known {
  amountSats: bigint;
  firstSeenAt: Date;
}

/** Payment rows after some reports: one row a payment, which keeps the furthest stage that was reported. */
function recorded(known: readonly Known[], reports: readonly Report[]): PaymentFact[] {
  const stages = new Map<number, number>();
  for (const { payment: index, stage } of reports) stages.set(index, Math.max(stage, stages.get(index) ?? 0));
  return [...stages].map(([index, stage]) =>
    payment({ ...known[index], state: stage === 2 ? "confirmed" : "pending", inBlock: stage > 0 }),
  );
}

const knownPayments = (...seen: Date[]) =>
  fc.array(fc.record({ amountSats: amounts, firstSeenAt: fc.constantFrom(...seen) }), {
    minLength: 1,
    maxLength: 4,
  });

/** Some payments, reports of them, and the same reports in another order with some of them doubled. */
const stories = (...seen: Date[]) =>
  knownPayments(...seen).chain((known) => {
    const report: fc.Arbitrary<Report> = fc.record({
      payment: fc.nat({ max: known.length - 1 }),
      stage: fc.constantFrom(0, 1, 2),
    });
    return fc.array(report, { minLength: 1, maxLength: 8 }).chain((reports) =>
      fc.record({
        known: fc.constant(known),
        one: fc.shuffledSubarray(reports, { minLength: reports.length }),
        other: fc
          .tuple(fc.shuffledSubarray(reports, { minLength: reports.length }), fc.subarray(reports))
          .chain(([all, doubled]) =>
            fc.shuffledSubarray([...all, ...doubled], { minLength: all.length + doubled.length }),
          ),
      }),
    );
  });

function merged(start: InvoiceFacts, known: readonly Known[], reports: readonly Report[]): PaymentFact[] {
  return [...start.payments, ...recorded(known, reports)];
}

describe("the state function, by property", () => {
  describe("facts between two decisions by time", () => {
    it("give the same state and events in any order and however often they are reported, from any state", () => {
      fc.assert(
        fc.property(
          stories(IN_TIME, LATE, VERY_LATE),
          anyInvoice,
          nows,
          syncs,
          ({ known, one, other }, start, now, sync) => {
            const decideOn = (reports: readonly Report[]) => {
              const { moves } = decideUntilStable(
                { ...start, payments: merged(start, known, reports) },
                now,
                sync,
              );
              return moves;
            };
            expect(decideOn(one)).to.deep.equal(decideOn(other));
          },
        ),
      );
    });
  });

  it("settles only what is confirmed, from any state", () => {
    fc.assert(
      fc.property(anyInvoice, nows, syncs, (start, now, sync) => {
        const move = decide(start, now, sync);
        if (move?.status === "Settled" && start.markedByHand === null)
          expect(confirmedSum(start) >= start.minDueSats).to.equal(true);
        if (move?.additionalStatus === "Overpaid") expect(confirmedSum(start) > start.dueSats).to.equal(true);
      }),
    );
  });

  it("stays unchanged after a few steps, and deciding again changes nothing, from any state", () => {
    fc.assert(
      fc.property(anyInvoice, nows, syncs, (start, now, sync) => {
        const { moves, facts } = decideUntilStable(start, now, sync);
        expect(moves.length).to.be.lessThan(4);
        expect(decideUntilStable(facts, now, sync)).to.deep.equal({ moves: [], facts });
      }),
    );
  });

  it("keeps a mark by hand, except for an excess on Settled", () => {
    fc.assert(
      fc.property(
        anyInvoice.filter(({ markedByHand }) => markedByHand !== null),
        nows,
        syncs,
        (start, now, sync) => {
          const rows = decideUntilStable(start, now, sync).moves.map(({ row }) => row);
          expect(rows).to.be.deep.oneOf(start.status === "Settled" ? [[], [11]] : [[]]);
        },
      ),
    );
  });

  it("decides by the last event of each pair as by all events, at one decision after another", () => {
    const marks = fc.array(fc.constantFrom(...MARKS), { maxLength: 8 });
    fc.assert(
      fc.property(anyInvoice, anyEvents, marks, nows, syncs, (start, events, marked, now, sync) => {
        const all = [...events];
        let current = start;
        for (const to of [null, ...marked]) {
          if (to !== null && !mayBeMarked(current, to)) continue;
          const decideBy = (emitted: readonly LatestEvent[]) => {
            const before = { ...current, emitted };
            if (to === null) return decideUntilStable(before, now, sync);
            const move = mark(before, to);
            const { moves, facts } = decideUntilStable(after(before, move), now, sync);
            return { moves: [move, ...moves], facts };
          };
          const { moves, facts } = decideBy(latestOf(all));
          expect(moves).to.deep.equal(decideBy(all).moves);
          all.push(...moves.flatMap((move) => move.event ?? []));
          expect(facts.emitted).to.have.deep.members(latestOf(all));
          current = facts;
        }
      }),
    );
  });

  it("numbers an event by the events of its pair, and publishes a pair again only in the two named cases", () => {
    fc.assert(
      fc.property(anyInvoice, nows, syncs, (start, now, sync) => {
        const move = decide(start, now, sync);
        if (move === null) return;
        const before =
          start.emitted.find(
            (one) => one.type === move.status && one.additionalStatus === move.additionalStatus,
          )?.round ?? 0;
        const again =
          (start.status === "New" && move.status === "Processing") ||
          (start.status === "Settled" && move.status === "Invalid");
        const silent = move.status === "New" || (before > 0 && !again);
        expect(move.event?.round ?? null).to.equal(silent ? null : before + 1);
      }),
    );
  });
});
