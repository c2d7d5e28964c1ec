import { expect } from "chai";
import { batch, type BatchOptions, batchedRead } from "../../database/batch";
import { eventually } from "../support/eventually";
import type { DataSource } from "typeorm";

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

/** Reads that end when the test says so. */
function heldReads(options?: Parameters<typeof batchedRead>[1]) {
  const ctx = { db: {} as DataSource };
  const runs: string[][] = [];
  const releases: (() => void)[] = [];
  const read = batchedRead<typeof ctx, { key: string }>(async (_, keys) => {
    runs.push([...keys]);
    await new Promise<void>((resolve) => releases.push(resolve));
    return new Map(keys.filter((key) => key !== "unknown").map((key) => [key, { key }]));
  }, options);
  const begun = (count: number) => eventually(() => expect(runs).to.have.length(count));
  return { ask: (key: string) => read(ctx, key), runs, releases, begun };
}

describe("a batched read", () => {
  it("reads each key once for any number of requests, which share the result", async () => {
    const { ask, runs, releases, begun } = heldReads();
    const asked = ["a", "b", "a", "unknown"].map(ask);
    await begun(1);
    releases[0]?.();
    const [a, b, again, unknown] = await Promise.all(asked);
    expect(runs).to.deep.equal([["a", "b", "unknown"]]);
    expect([a?.key, b?.key, unknown]).to.deep.equal(["a", "b", undefined]);
    expect(again).to.equal(a);
  });

  it("reads a key again for a request that comes while it is read", async () => {
    const { ask, runs, releases, begun } = heldReads();
    const first = ask("a");
    await begun(1);
    const second = ask("a");
    await begun(2);
    for (const release of releases) release();
    await Promise.all([first, second]);
    expect(runs).to.deep.equal([["a"], ["a"]]);
  });

  it("counts keys and not requests for the limit of a statement", async () => {
    const { ask, runs, releases, begun } = heldReads({ atMost: 2 });
    const asked = ["a", "a", "b", "a", "c", "b"].map(ask);
    await begun(1);
    releases[0]?.();
    await begun(2);
    releases[1]?.();
    await Promise.all(asked);
    expect(runs).to.deep.equal([["a", "b"], ["c"]]);
  });

  it("fails those who wait for a read that fails, and reads on", async () => {
    const ctx = { db: {} as DataSource };
    let away = true;
    const read = batchedRead<typeof ctx, string>((_, keys) =>
      away ? Promise.reject(new Error("away")) : Promise.resolve(new Map(keys.map((key) => [key, key]))),
    );
    const failed = await Promise.allSettled(["a", "b", "a"].map((key) => read(ctx, key)));
    expect(failed.map(({ status }) => status)).to.deep.equal(["rejected", "rejected", "rejected"]);
    away = false;
    expect(await read(ctx, "a")).to.equal("a");
  });
});
