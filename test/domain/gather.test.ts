import { expect } from "chai";
import { gather, type Pace } from "../../domain/gather";

/** Runs that end when the test says so. */
function heldRuns(pace: Pace) {
  const runs: number[][] = [];
  const releases: (() => void)[] = [];
  const ask = gather<number, number>(async (items) => {
    runs.push([...items]);
    await new Promise<void>((resolve) => releases.push(resolve));
    return items;
  }, pace);
  return { runs, releases, ask };
}

/** Two at once, that begin when the test says so, too. */
function twoAtOnce() {
  const begins: [run: () => void, beside: number][] = [];
  const begin: Pace["begin"] = (run, beside) => void begins.push([run, beside]);
  return { begins, ...heldRuns({ runsAtOnce: 2, begin }) };
}

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

  it("has as many runs at once as it may, and gathers what comes beyond them", async () => {
    const { runs, releases, ask } = heldRuns({ runsAtOnce: 2 });
    const answers = [1, 2, 3, 4].map(ask);
    expect(runs).to.deep.equal([[1], [2]]);
    releases[1]?.();
    expect(await answers[1]).to.equal(2);
    expect(runs).to.deep.equal([[1], [2], [3, 4]]);
    releases[0]?.();
    releases[2]?.();
    expect(await Promise.all(answers)).to.deep.equal([1, 2, 3, 4]);
  });

  it("begins when it is told to, with all that has come until then", async () => {
    const { runs, begins, releases, ask } = twoAtOnce();
    const answers = [1, 2].map(ask);
    expect([runs, begins.length]).to.deep.equal([[], 1]);
    begins[0]?.[0]();
    expect(runs).to.deep.equal([[1, 2]]);

    answers.push(ask(3), ask(4)); // a second run may begin beside the first
    expect(begins.map(([, beside]) => beside)).to.deep.equal([0, 1]);
    begins[1]?.[0]();
    answers.push(ask(5));
    expect([runs, begins.length]).to.deep.equal([
      [
        [1, 2],
        [3, 4],
      ],
      2,
    ]);
    releases[0]?.();
    expect(await answers[0]).to.equal(1);
    expect(runs).to.deep.equal([[1, 2], [3, 4], [5]]);
    releases[1]?.();
    releases[2]?.();
    expect(await Promise.all(answers)).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it("begins nothing twice when what it was to begin with was done by the run before it", async () => {
    const runs: number[][] = [];
    const begins: (() => void)[] = [];
    const ask = gather<number, number>(
      async (items) => {
        runs.push([...items]);
        await Promise.resolve();
        return items;
      },
      { runsAtOnce: 2, begin: (run) => void begins.push(run) },
    );
    const first = ask(1);
    begins[0]?.();
    const second = ask(2);
    expect(await Promise.all([first, second])).to.deep.equal([1, 2]);
    begins[1]?.(); // too late: nothing waits any more
    const third = ask(3);
    begins[2]?.();
    expect(await third).to.equal(3);
    expect(runs).to.deep.equal([[1], [2], [3]]);
  });

  it("begins nothing beside a run for those whom the run before it has served", async () => {
    const { runs, begins, releases, ask } = twoAtOnce();
    const answers = [ask(1)];
    begins[0]?.[0]();
    answers.push(ask(2)); // were the first held up, this would begin beside it
    releases[0]?.();
    expect(await answers[0]).to.equal(1);
    answers.push(ask(3));
    begins[1]?.[0](); // too late: the second is served by now, and the third waits for it only since
    expect(runs).to.deep.equal([[1], [2]]);
    expect(begins.map(([, beside]) => beside)).to.deep.equal([0, 1, 1]);
    begins[2]?.[0]();
    expect(runs).to.deep.equal([[1], [2], [3]]);

    answers.push(ask(4)); // both are under way
    releases[2]?.(); // the one beside ends, and leaves whoever waits to the first, or to another beside that
    expect(await answers[2]).to.equal(3);
    expect([runs.length, begins.at(-1)?.[1]]).to.deep.equal([3, 1]);
    releases[1]?.();
    expect(await answers[1]).to.equal(2);
    expect(runs).to.deep.equal([[1], [2], [3], [4]]);
    releases[3]?.();
    expect(await Promise.all(answers)).to.deep.equal([1, 2, 3, 4]);
  });

  it("lets who comes when all was done wait for nothing that was to begin beside it", async () => {
    const begins: [run: () => void, beside: number][] = [];
    const ask = gather<number, number>((items) => Promise.resolve(items), {
      runsAtOnce: 2,
      begin: (run, beside) => void begins.push([run, beside]),
    });
    const answers = [ask(1)];
    begins[0]?.[0]();
    answers.push(ask(2));
    expect(await Promise.all(answers)).to.deep.equal([1, 2]);
    const third = ask(3); // the second begin has not come yet
    expect(begins.map(([, beside]) => beside)).to.deep.equal([0, 1, 0]);
    begins[2]?.[0]();
    begins[1]?.[0]();
    expect(await third).to.equal(3);
  });

  it("takes no more into a run than it may: the rest goes by the next, and fails or not by itself", async () => {
    const runs: number[][] = [];
    const ask = gather<number, number>(
      async (items) => {
        runs.push([...items]);
        await Promise.resolve();
        if (items.includes(4)) throw new Error("broken");
        return items;
      },
      { atMost: 2 },
    );
    const answers = await Promise.allSettled([1, 2, 3, 4, 5, 6].map(ask));
    expect(runs).to.deep.equal([[1], [2, 3], [4, 5], [6]]);
    expect(answers.map(({ status }) => status === "fulfilled")).to.deep.equal([
      true,
      true,
      true,
      false,
      false,
      true,
    ]);
  });
});
