import { expect } from "chai";
import { planOf, textOfActs } from "./round";
import { sentenceOf, shrink } from "./shrink";

describe("the story of a failure", () => {
  it("keeps only what it fails with", async () => {
    const items = Array.from({ length: 40 }, (_, at) => at);
    const needed = [3, 17, 18, 39];
    const kept = await shrink(items, (some) => Promise.resolve(needed.every((at) => some.includes(at))));
    expect(kept).to.deep.equal(needed);
  });

  it("stays as it is when it does not fail with less", async () => {
    expect(await shrink([1, 2, 3], () => Promise.resolve(false))).to.deep.equal([1, 2, 3]);
  });

  it("is what was found when time is over", async () => {
    let tries = 0;
    const kept = await shrink(
      [1, 2, 3, 4],
      (some) => Promise.resolve(some.length > 0),
      () => (tries += 1) > 2,
    );
    expect(kept).to.deep.equal([3, 4]);
  });

  it("is the same failure whatever its invoices and transactions are called", () => {
    expect(sentenceOf("order-12: Expired/None is told to one who paid 100000 in time")).to.equal(
      sentenceOf("order-1: Expired/None is told to one who paid 60000 in time"),
    );
    expect(sentenceOf("order-1 is New/None")).not.to.equal(sentenceOf("order-1 is Expired/None"));
  });

  it("is played again by its acts", () => {
    expect(planOf(7, "0,7!,31")).to.deep.equal({ seed: 7, acts: [0, 7, 31], faulty: [7] });
    expect(textOfActs(planOf(7, "0,7!,31"))).to.equal("0,7!,31");
    expect(() => planOf(7, "0,x")).to.throw("0,x");
  });
});
