import { expect } from "chai";
import { countFailure, failsForGood, type FailureCount } from "../../../domain/chain/failure-count";

const at = (seconds: number): Date => new Date(seconds * 1_000);
const failuresAt = (...seconds: number[]): FailureCount => {
  let count: FailureCount | null = null;
  for (const second of seconds) count = countFailure(count, at(second));
  if (count === null) throw new Error("there was none");
  return count;
};

describe("failures of one item", () => {
  const cases: [string, FailureCount, Date | null, boolean][] = [
    ["three over a minute while other work succeeded", failuresAt(0, 30, 60), at(1), true],
    ["two over a minute", failuresAt(0, 60), at(1), false],
    ["many within a minute", failuresAt(0, 10, 20, 30, 40, 50, 59), at(1), false],
    ["three over a minute while nothing else succeeded", failuresAt(0, 30, 60), at(0), false],
    ["three while nobody is at work", failuresAt(0, 30, 60), null, false],
    ["two, and one long after", failuresAt(0, 60, 60 + 300), at(1), false],
    ["as many again after a pause", failuresAt(0, 60, 400, 430, 460), at(401), true],
  ];
  for (const [what, count, otherWorkAt, forGood] of cases)
    it(`${forGood ? "set it aside" : "leave it for another try"}: ${what}`, () => {
      expect(failsForGood(count, otherWorkAt)).to.equal(forGood);
    });
});
