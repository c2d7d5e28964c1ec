import { expect } from "chai";
import { inTime } from "../../database/in-time";
import { DomainError } from "../../domain/errors";
import { batch } from "../../database/batch";

const never = new Promise<never>(() => undefined);

describe("shared work with a time limit", () => {
  it("returns the work's result, and its error", async () => {
    expect(await inTime(Promise.resolve(7))).to.equal(7);
    const failed = await inTime(Promise.reject(new Error("no"))).catch((error: unknown) => error);
    expect(failed).to.have.property("message", "no");
  });

  it("is given up when a connection never answers, and work behind it is done", async () => {
    let runs = 0;
    const ask = batch<number, number>((items) => {
      runs += 1;
      return inTime(runs === 1 ? never : Promise.resolve(items), 20);
    });
    const first = ask(1).catch((error: unknown) => error);
    await new Promise(setImmediate); // its run has begun
    const behind = ask(2);
    const error = await first;
    expect(error).to.be.instanceOf(DomainError).with.property("code", "unavailable");
    expect(await behind).to.equal(2);
  });
});
