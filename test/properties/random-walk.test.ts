import { expect } from "chai";
import fc from "fast-check";
import { DomainError } from "../../domain/errors";
import { after, created, mark, settleDown, type Move } from "../../domain/invoice/decide";
import type { InvoiceFacts, PaymentFact, SyncFacts } from "../../domain/invoice/facts";
import type { Mark } from "../../domain/invoice/status";
import {
  BEHIND,
  confirmed,
  CREATED,
  DUE,
  EXPIRES,
  invoice,
  lightning,
  payment,
  seconds,
} from "../domain/invoice/invoice-facts";

/** What the walk expects, kept apart from the invoice itself. */
interface Model {
  hand: Mark | null;
  onChainPaid: boolean;
}

/** The invoice under test, its clock and its networks, and all that ever happened to it. */
class Walk {
  facts: InvoiceFacts = after(invoice({ emitted: [] }), created());
  now = CREATED;
  sync: SyncFacts = { ...BEHIND, caughtUpTo: CREATED };
  readonly states: string[] = ["New/None"];
  readonly moves: Move[] = [created()];

  pay(fact: PaymentFact): void {
    this.become([...this.facts.payments, { ...fact, firstSeenAt: this.now }]);
  }

  /** Changes the payments and decides, as a command does in one transaction. */
  become(payments: readonly PaymentFact[]): void {
    this.facts = { ...this.facts, payments };
    this.decide();
  }

  change(index: number, changed: Partial<PaymentFact>): void {
    this.become(this.facts.payments.map((fact, at) => (at === index ? { ...fact, ...changed } : fact)));
  }

  decide(): void {
    const { moves, facts } = settleDown(this.facts, this.now, this.sync);
    for (const move of moves) this.note(move);
    this.facts = facts;
  }

  note(move: Move): void {
    const settles = move.status === "Settled" && move.markedByHand === null;
    if (settles)
      expect(this.sum(({ state }) => state === "confirmed") >= this.facts.minDueSats).to.equal(true);
    this.states.push(`${move.status}/${move.additionalStatus}`);
    this.moves.push(move);
  }

  sum(which: (fact: PaymentFact) => boolean): bigint {
    return this.facts.payments
      .filter((fact) => !fact.neverCounts && !fact.doubleSpent && which(fact))
      .reduce((sum, { amountSats }) => sum + amountSats, 0n);
  }

  /** The nth on-chain payment that fits, by its index among all payments; undefined when there is none. */
  find(nth: number, fits: (fact: PaymentFact) => boolean): number | undefined {
    const found = [...this.facts.payments.entries()].filter(
      ([, fact]) => fact.type === "BTC-CHAIN" && fits(fact),
    );
    return found[nth % Math.max(found.length, 1)]?.[0];
  }
}

/** Moves that the table of moves allows, by their ends. */
const LEGAL = new Set([
  "New/None>Settled/None",
  "New/None>Settled/Overpaid",
  "New/None>Processing/None",
  "New/None>Expired/None",
  "New/None>Expired/Underpaid",
  "Processing/None>Settled/None",
  "Processing/None>Settled/Overpaid",
  "Processing/None>New/None",
  "Processing/None>Expired/Underpaid",
  "Processing/None>Invalid/None",
  "Expired/None>Settled/PaidAfterExpiration",
  "Expired/Underpaid>Settled/PaidAfterExpiration",
  "Invalid/None>Settled/PaidAfterExpiration",
  "Expired/None>Expired/Underpaid",
  "Settled/None>Settled/Overpaid",
  "Settled/None>Invalid/None",
  "Settled/Overpaid>Invalid/None",
  "Settled/PaidAfterExpiration>Invalid/None",
]);

function check(model: Model, walk: Walk): void {
  const { facts, now, sync, states, moves } = walk;
  expect(facts.markedByHand).to.equal(model.hand);
  if (model.hand !== null) expect(facts.status).to.equal(model.hand);
  for (const [index, move] of moves.entries())
    if (index > 0 && move.row !== 13 && move.row !== 14)
      expect(
        LEGAL.has(`${states[index - 1]}>${states[index]}`),
        `${states[index - 1]}>${states[index]}`,
      ).to.equal(true);
  if (!model.onChainPaid) expect(states).to.not.include("Processing/None");
  checkEvents(states, moves);

  const counted = ({ state }: PaymentFact): boolean => state === "pending" || state === "confirmed";
  const inTime = walk.sum((fact) => counted(fact) && fact.firstSeenAt <= EXPIRES);
  if (facts.status === "New") {
    expect(inTime < facts.minDueSats).to.equal(true);
    expect(now >= sync.holdExpiryUntil, "held no longer than the hold").to.equal(false);
    if (now >= EXPIRES) expect(sync.caughtUpTo !== null && sync.caughtUpTo >= EXPIRES).to.equal(false);
  }
  if (facts.status === "Processing") {
    // After the expiry it waits for the networks, as New does.
    const held =
      now >= EXPIRES && now < sync.holdExpiryUntil && !(sync.caughtUpTo && sync.caughtUpTo >= EXPIRES);
    expect(inTime >= facts.minDueSats || held).to.equal(true);
    expect(walk.sum(({ state }) => state === "confirmed") < facts.minDueSats).to.equal(true);
  }
  if (["Expired", "Invalid"].includes(facts.status) && model.hand === null)
    expect(walk.sum(({ state }) => state === "confirmed") < facts.minDueSats).to.equal(true);
}

/**
 * Events stay unique by pair and round, and are published again only for the named exceptions, by the trace of
 * states.
 */
function checkEvents(states: readonly string[], moves: readonly Move[]): void {
  const seen = new Map<string, { count: number; at: number }>();
  for (const [index, { event, row }] of moves.entries()) {
    if (event === null) continue;
    const pair = `${event.type}/${event.additionalStatus}`;
    expect(pair).to.equal(states[index]);
    const before = seen.get(pair) ?? { count: 0, at: -1 };
    expect(event.round).to.equal(before.count + 1);
    expect(event.byHand).to.equal(row === 13 || row === 14);
    if (before.count > 0 && !event.byHand) {
      const since = states.slice(before.at + 1, index);
      if (pair === "Processing/None") expect(since).to.include("New/None");
      else if (pair === "Invalid/None")
        expect(since.some((state) => state.startsWith("Settled/"))).to.equal(true);
      else if (pair === "Settled/PaidAfterExpiration") expect(since).to.include("Invalid/None");
      else expect.fail(`${pair} was told again`);
    }
    seen.set(pair, { count: before.count + 1, at: index });
  }
}

type Step = fc.Command<Model, Walk>;

/** A step of the walk: it may change the model, changes the invoice, and then all is checked. */
function step(name: string, run: (walk: Walk, model: Model) => void): Step {
  return {
    check: () => true,
    run: (model, walk) => {
      run(walk, model);
      check(model, walk);
    },
    toString: () => name,
  };
}

/** A step on one of the payments that fit, if there is one. */
function onPayment(
  name: string,
  fits: (fact: PaymentFact) => boolean,
  run: (walk: Walk, index: number) => void,
): fc.Arbitrary<Step> {
  return fc.nat({ max: 5 }).map((nth) =>
    step(`${name} ${nth}`, (walk) => {
      const index = walk.find(nth, fits);
      if (index !== undefined) run(walk, index);
    }),
  );
}

const isPending = ({ state }: PaymentFact): boolean => state === "pending";
const isConfirmed = ({ state }: PaymentFact): boolean => state === "confirmed";
const amounts = fc.constantFrom(40_000n, 60_000n, 98_000n, DUE, DUE + 5_000n);

const steps: fc.Arbitrary<Step>[] = [
  amounts.map((amountSats) =>
    step(`pay ${amountSats} on-chain`, (walk, model) => {
      model.onChainPaid = true;
      walk.pay(payment({ amountSats }));
    }),
  ),
  amounts.map((amountSats) =>
    step(`pay ${amountSats} by Lightning`, (walk) => walk.pay(lightning(amountSats))),
  ),
  fc.constant(step("send dust", (walk) => walk.pay(confirmed({ amountSats: DUE, neverCounts: true })))),
  onPayment("mine", isPending, (walk, index) => walk.change(index, { inBlock: true })),
  onPayment("confirm", isPending, (walk, index) => walk.change(index, { state: "confirmed", inBlock: true })),
  onPayment("reorganise", isConfirmed, (walk, index) =>
    walk.change(index, { state: "pending", inBlock: false }),
  ),
  onPayment("vanish", isPending, (walk, index) => walk.change(index, { state: "evicted", inBlock: false })),
  onPayment("double-spend", isConfirmed, (walk, index) =>
    walk.change(index, { state: "replaced", inBlock: false, doubleSpent: true }),
  ),
  onPayment("bump the fee of", isPending, (walk, index) => {
    const before = walk.moves.length;
    const bumped = walk.facts.payments[index];
    if (bumped === undefined || bumped.inBlock) return;
    const rest = walk.facts.payments.map((fact, at) =>
      at === index ? { ...fact, state: "replaced" as const } : fact,
    );
    walk.become([...rest, { ...bumped }]);
    expect(walk.moves.length).to.equal(before);
  }),
  fc.tuple(fc.constantFrom(60, 600, 3_600, 90_000), fc.boolean()).map(([by, caughtUp]) =>
    step(`wait ${by} s${caughtUp ? "" : " without a node"}`, (walk) => {
      walk.now = seconds(walk.now, by);
      if (caughtUp) walk.sync = { ...walk.sync, caughtUpTo: walk.now };
      walk.decide();
    }),
  ),
  fc.constantFrom<Mark>("Settled", "Invalid").map((to) =>
    step(`mark ${to}`, (walk, model) => {
      const may = walk.facts.status !== to || (to === "Invalid" && model.hand === null);
      if (!may) {
        expect(() => mark(walk.facts, to)).to.throw(DomainError);
        return;
      }
      model.hand = to;
      const move = mark(walk.facts, to);
      walk.note(move);
      walk.facts = after(walk.facts, move);
      walk.decide();
    }),
  ),
];

/** Walks at random and answers how often each row was taken; a later round of its event is counted apart. */
function walk(allowed: fc.Arbitrary<Step>[]): Record<string, number> {
  const taken: Record<string, number> = {};
  fc.assert(
    fc.property(fc.commands(allowed, { maxCommands: 40, size: "max" }), (commands) => {
      const real = new Walk();
      fc.modelRun(() => ({ model: { hand: null, onChainPaid: false }, real }), commands);
      for (const { row, event } of real.moves) {
        const name = `${row}${(event?.round ?? 1) > 1 ? " again" : ""}`;
        taken[name] = (taken[name] ?? 0) + 1;
      }
    }),
    { numRuns: 2_500 },
  );
  return taken;
}

describe("a random walk through an invoice's life", () => {
  it("makes only legal moves and publishes each event once, by payments and time", function () {
    this.timeout(60_000);
    const taken = walk(steps.slice(0, -1));
    expect(taken).to.include.all.keys(
      "1",
      "2",
      "3",
      "3 again",
      "4",
      "5",
      "6",
      "7",
      "8",
      "9",
      "10",
      "11",
      "12",
    );
    expect(taken).to.not.have.any.keys("13", "14");
  });

  it("makes only legal moves and publishes each event once, with marks by hand", function () {
    this.timeout(60_000);
    expect(walk(steps)).to.include.all.keys("5", "9", "11", "13", "13 again", "14", "14 again");
  });
});
