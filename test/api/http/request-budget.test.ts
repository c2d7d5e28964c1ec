import { expect } from "chai";
import { RequestBudget, type Share } from "../../../api/http/request-budget";
import { UntakenAnswers } from "../../../api/http/untaken-answers";
import { eventually } from "../../support/eventually";

const HERE = new AbortController().signal;
/** What became of it, without waiting for it. */
function follow(taken: Promise<Share>) {
  const seen: { state: string; share: Share | null } = { state: "waiting", share: null };
  taken.then(
    (share) => Object.assign(seen, { state: "taken", share }),
    (error: { code: string }) => Object.assign(seen, { state: error.code }),
  );
  return seen;
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("the memory budget of large answers", () => {
  const budget = (given: object = {}) =>
    new RequestBudget({ of: "lists", total: 4, ofOne: 2, waitMs: 60_000, waitingMax: 3, ...given });

  it("gives a store its part and lets the next request wait until some is returned", async () => {
    const lists = budget();
    const [one] = [await lists.take("a", HERE), await lists.take("a", HERE)];
    const third = follow(lists.take("a", HERE));
    const other = follow(lists.take("b", HERE));
    await settle();
    expect([third.state, other.state]).to.deep.equal(["waiting", "taken"]);
    one.release();
    one.release();
    await settle();
    expect(third.state).to.equal("taken");
    const fourth = follow(lists.take("a", HERE));
    await settle();
    expect(fourth.state, "what is given back twice counts once").to.equal("waiting");
    third.share?.release();
    await settle();
    expect(fourth.state).to.equal("taken");
  });

  it("serves the store with the least first, when all of it is used", async () => {
    const lists = budget();
    const shares = [await lists.take("a", HERE), await lists.take("a", HERE)];
    shares.push(await lists.take("b", HERE), await lists.take("b", HERE));
    const [again, first] = [follow(lists.take("a", HERE)), follow(lists.take("c", HERE))];
    shares[0]?.release();
    await settle();
    expect([first.state, again.state]).to.deep.equal(["taken", "waiting"]);
  });

  it("refuses with rate-limited a store that has too much, with unavailable one that has not", async () => {
    const lists = budget({ waitMs: 20 });
    for (const store of ["a", "a", "b", "b"]) await lists.take(store, HERE);
    const [own, others] = [follow(lists.take("a", HERE)), follow(lists.take("c", HERE))];
    await eventually(() => expect([own.state, others.state]).to.deep.equal(["rate-limited", "unavailable"]));
  });

  it("refuses at once when too many of a store wait, and forgets closed ones", async () => {
    const lists = budget();
    const gone = new AbortController();
    const shares = [await lists.take("a", HERE), await lists.take("a", HERE)];
    const waiting = [1, 2, 3].map(() => follow(lists.take("a", gone.signal)));
    const refused = follow(lists.take("a", HERE));
    await settle();
    expect(refused.state).to.equal("rate-limited");
    gone.abort();
    await settle();
    expect(waiting.map(({ state }) => state)).to.deep.equal(Array(3).fill("rate-limited"));
    for (const share of shares) share.release();
    for (const store of ["a", "a", "b", "b"]) await lists.take(store, HERE);
  });
});

describe("answers that their readers have not read", () => {
  it("cut off the oldest of the store with the most, when they are too many, and no other's", () => {
    const untaken = new UntakenAnswers(10);
    const cut: string[] = [];
    const add = (who: string, bytes: number, name: string, gone = HERE) =>
      untaken.add({ who, bytes, cutOff: () => cut.push(name) }, gone);
    const [first, second] = [new AbortController(), new AbortController()];
    add("greedy", 3, "g1", first.signal);
    add("greedy", 3, "g2");
    add("honest", 2, "h1", second.signal);
    expect(cut).to.deep.equal([]);
    add("late", 4, "l1");
    expect(cut).to.deep.equal(["g1"]);
    second.abort();
    add("honest", 3, "h2");
    expect(cut, "what was taken counts no more").to.deep.equal(["g1"]);
    add("honest", 3, "h3");
    expect(cut, "holds most now").to.deep.equal(["g1", "h2"]);
  });
});
