import { expect } from "chai";
import { batch, type BatchOptions } from "../../database/batch";
import { eventually } from "../support/eventually";

/** Runs that end when the test says so. */
function heldRuns(options: BatchOptions = {}) {
  const runs: number[][] = [];
  const releases: (() => void)[] = [];
  const ask = batch<number, number>(async (items) => {
    runs.push([...items]);
    await new Promise<void>((resolve) => releases.push(resolve));
    return items.map((item) => item * 10);
  }, options);
  const begun = (count: number) => eventually(() => expect(runs).to.have.length(count));
  return { runs, releases, ask, begun };
}

describe("batch", () => {
  it("runs requests of one tick together, and later ones next, each with its own answer", async () => {
    const { runs, releases, ask, begun } = heldRuns();
    const answers = [ask(1), ask(2)];
    expect(runs).to.deep.equal([]);
    await begun(1);
    answers.push(ask(3), ask(4));
    releases[0]?.();
    await begun(2);
    releases[1]?.();
    expect(await Promise.all(answers)).to.deep.equal([10, 20, 30, 40]);
    expect(runs).to.deep.equal([
      [1, 2],
      [3, 4],
    ]);
  });

  it("passes a failure to its own run, and continues", async () => {
    let runs = 0;
    const ask = batch<string, string>(async (items) => {
      runs += 1;
      await Promise.resolve();
      if (runs === 1) throw new Error("broken");
      return items;
    });
    const failures = await Promise.allSettled([ask("a"), ask("b")]);
    expect(failures.map(({ status }) => status)).to.deep.equal(["rejected", "rejected"]);
    expect(await ask("c")).to.equal("c");
  });

  it("has up to its concurrency limit of runs: one that hangs does not delay later ones", async () => {
    const { runs, releases, ask, begun } = heldRuns({ runsAtOnce: 2 });
    const hanging = ask(1);
    await begun(1);
    const second = ask(2);
    await begun(2);
    const answers = [ask(3), ask(4)];
    releases[1]?.();
    expect(await second).to.equal(20);
    await begun(3);
    releases[2]?.();
    expect(await Promise.all(answers)).to.deep.equal([30, 40]);
    expect(runs).to.deep.equal([[1], [2], [3, 4]]);
    releases[0]?.();
    expect(await hanging).to.equal(10);
  });

  it("takes at most its batch size into a run: the others run next, and fail or not separately", async () => {
    const runs: number[][] = [];
    const ask = batch<number, number>(
      async (items) => {
        runs.push([...items]);
        await Promise.resolve();
        if (items.includes(4)) throw new Error("broken");
        return items;
      },
      { atMost: 2 },
    );
    const answers = await Promise.allSettled([1, 2, 3, 4, 5].map(ask));
    expect(runs).to.deep.equal([[1, 2], [3, 4], [5]]);
    expect(answers.map(({ status }) => status === "fulfilled")).to.deep.equal([
      true,
      true,
      false,
      false,
      true,
    ]);
  });
});
