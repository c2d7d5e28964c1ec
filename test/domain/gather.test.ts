import { expect } from "chai";
import { gather } from "../../domain/gather";

describe("gathering", () => {
  it("does the first at once, and what comes meanwhile together, each with its own answer", async () => {
    const runs: number[][] = [];
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const ask = gather<number, number>(async (items) => {
      runs.push([...items]);
      await held;
      return items.map((item) => item * 10);
    });
    const answers = [ask(1), ask(2), ask(3)];
    expect(runs).to.deep.equal([[1]]);
    release();
    expect(await Promise.all(answers)).to.deep.equal([10, 20, 30]);
    expect(runs).to.deep.equal([[1], [2, 3]]);
  });

  it("tells a failure to its own run, and goes on", async () => {
    let runs = 0;
    const ask = gather<string, string>(async (items) => {
      runs += 1;
      if (runs === 1) throw new Error("broken");
      return items;
    });
    const [first, second] = [ask("a"), ask("b")];
    expect(await first.catch((error: Error) => error.message)).to.equal("broken");
    expect(await second).to.equal("b");
    expect(await ask("c")).to.equal("c");
  });
});
