import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { withStandstill } from "./standstill";

const standStill = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

describe("a machine that stands still", () => {
  it("is noticed in the middle of the work, and at its end", async () => {
    const middle = await withStandstill(async () => {
      await sleep(1);
      standStill(1_000);
      await sleep(1);
      return "done";
    });
    expect(middle.result).to.equal("done");
    expect(middle.stoodStillMs).to.be.greaterThan(800);
    const end = await withStandstill(async () => standStill(1_000));
    expect(end.stoodStillMs).to.be.greaterThan(800);
  });

  it("is not one that does little else than wait", async () => {
    const { stoodStillMs } = await withStandstill(() => sleep(1_000));
    expect(stoodStillMs).to.be.lessThan(1_000);
  });
});
