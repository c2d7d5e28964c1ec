import { expect } from "chai";
import { ratePolicy } from "../../domain/rate-policy";

describe("a rate's policy", () => {
  for (const [perMinute, limit, windowSeconds] of [
    [6_000, 1_000, 10],
    [1, 1, 60],
    [5, 5, 60],
    [1_000, 1_000, 60],
    [1_500, 1_000, 40],
    [7_000, 933, 8],
    [60_000, 1_000, 1],
    [1_000_000, 16_666, 1],
  ] as const)
    it(`is ${limit} in ${windowSeconds} s for ${perMinute} a minute`, () => {
      expect(ratePolicy("key", perMinute)).to.deep.equal({ name: "key", limit, windowSeconds });
    });
});
