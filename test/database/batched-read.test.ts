import { expect } from "chai";
import type { DataSource } from "typeorm";
import { batchedRead } from "../../database/batched-read";
import { eventually } from "../support/eventually";

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
