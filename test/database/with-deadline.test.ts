import { expect } from "chai";
import { batch } from "../../database/batch";
import { DeadlineError, inTime, withDeadline } from "../../database/with-deadline";
import { DomainError } from "../../domain/errors";

const never = new Promise<never>(() => undefined);
const caught = (work: Promise<unknown>) => work.catch((error: unknown) => error);

describe("work with a deadline", () => {
  it("returns the work's result, and its error", async () => {
    expect(await withDeadline(1_000, () => Promise.resolve(7))).to.equal(7);
    const failed = await caught(withDeadline(1_000, () => Promise.reject(new Error("no"))));
    expect(failed).to.have.property("message", "no");
  });

  it("is given up with a DeadlineError, or the caller's own, and is aborted afterwards", async () => {
    const told: boolean[] = [];
    const given = await caught(
      withDeadline(10, (late) => {
        late.addEventListener("abort", () => told.push(late.aborted));
        return never;
      }),
    );
    expect(given).to.be.instanceOf(DeadlineError).with.property("message", "no answer within 10 ms");
    expect(told).to.deep.equal([true]);
    const own = new Error("too late");
    expect(
      await caught(
        withDeadline(
          10,
          () => never,
          () => own,
        ),
      ),
    ).to.equal(own);
  });

  it("is late even when the work fails because it was aborted", async () => {
    const work = (late: AbortSignal) =>
      new Promise<never>((_, reject) => late.addEventListener("abort", () => reject(new Error("cut off"))));
    expect(await caught(withDeadline(10, work))).to.be.instanceOf(DeadlineError);
  });
});

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
