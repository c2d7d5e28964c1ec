import { expect } from "chai";
import { figure, percentile } from "../../scripts/bench/bench";
import { judge } from "../../scripts/bench/bounds";
import type { Outcome } from "../../scripts/bench/run";

describe("a figure", () => {
  it("has the medians, and the median of the rounds' own ratios", () => {
    const made = figure({
      ...{ name: "x", unit: "/s", ours: [10, 40, 20] },
      raw: { what: "bare", rounds: [100, 100, 100] },
      aim: { text: "≥ 0.25", ratioAtLeast: 0.25 },
    });
    expect(made.ours).to.deep.equal({ min: 10, median: 20, max: 40, rounds: 3 });
    expect(made.ratio).to.equal(0.2);
    expect(made.aim?.met).to.equal(false);
  });

  it("meets its target only when all of it does", () => {
    const aimed = (and: boolean): boolean | undefined =>
      figure({ name: "x", unit: "/s", ours: [1_000], aim: { text: "≥ 1,000", atLeast: 1_000, and } }).aim
        ?.met;
    expect([aimed(true), aimed(false)]).to.deep.equal([true, false]);
    const late = figure({ name: "x", unit: "ms", ours: [151], aim: { text: "< 150 ms", atMost: 150 } });
    expect(late.aim?.met).to.equal(false);
  });

  it("gives the value below which a share lies", () => {
    const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);
    expect([0, 0.5, 0.99].map((share) => percentile(hundred, share))).to.deep.equal([1, 51, 100]);
  });
});

describe("a bound of the gate", () => {
  const ran = (ratios: readonly number[], failure: string | null = null): Outcome => ({
    ...{ bench: "creation", title: "", queues: "redis", seconds: 1, failure },
    figures: ratios.map((ratio) =>
      figure({ name: "on-chain, one", unit: "/s", ours: [ratio], raw: { what: "bare", rounds: [1] } }),
    ),
  });
  const atLeast = { bench: "creation", figure: "on-chain", ratioAtLeast: 0.1 };

  it("is held by the median of the runs, so that one noisy run does not break it", () => {
    const { holds, text } = judge(atLeast, [ran([0.01]), ran([0.2]), ran([0.3])]);
    expect(holds).to.equal(true);
    expect(text).to.equal(
      "ok     creation: on-chain: 0.2 of the raw limit (0.01, 0.2, 0.3), bound: at least 0.1",
    );
  });

  it("is broken by a ratio that fell, and by one that rose, and names it", () => {
    const fell = judge(atLeast, [ran([0.05]), ran([0.09]), ran([0.3])]);
    expect(fell.holds).to.equal(false);
    expect(fell.text).to.match(/^WORSE {2}creation: on-chain: 0\.09 .*at least 0\.1$/);
    const rose = judge({ bench: "creation", figure: "on-chain", ratioAtMost: 40 }, [ran([41])]);
    expect(rose.holds).to.equal(false);
    expect(rose.text).to.match(/^WORSE .* 41 .*at most 40$/);
  });

  it("is broken by what was not measured, and says why", () => {
    expect(judge(atLeast, []).text).to.equal("NONE   creation: on-chain: not measured");
    expect(judge(atLeast, [ran([], "Error: no port\n  at x")])).to.deep.equal({
      holds: false,
      text: "NONE   creation: on-chain: not measured: Error: no port",
    });
    expect(judge({ ...atLeast, figure: "another" }, [ran([1])]).holds).to.equal(false);
  });
});
