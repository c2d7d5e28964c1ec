import { randomInt } from "node:crypto";
import { expect } from "chai";
import { BrokenPromise } from "./play";
import { simulationOptions } from "./options";
import { planOf, playRound, type RoundPlan, textOfActs } from "./round";
import { sentenceOf, shrink } from "./shrink";
import { withStandstill } from "./standstill";
import { World } from "./world";

/** Of a run that is asked for nothing else: some that are always the same, and of each part some of its own. */
const SEEDS = Array.from({ length: 25 }, (_, at) => at + 1);
const FRESH = 5;
/**
 * Rounds that failed once. What a seed means changes with the list of acts: what must stay whatever that is, is a story or a
 * mutant.
 */
const KEPT: readonly { seed: number; acts: string | null }[] = [];
/** Of a run of hours, before it gives up. */
const MOST_FAILURES = 10;
/** Shorter than the limits of the service that count real time. */
const STANDS_STILL_MS = 5_000;
/** A round in which the machine stood still is played again so many times. */
const AGAIN = 3;
/** For a failure's story to become shorter. */
const SHRINK_SECONDS = 120;

interface Played {
  story: readonly string[];
  wrong: readonly string[];
}

async function play(plan: RoundPlan): Promise<Played> {
  const { seed } = plan;
  const world = await World.start({
    ...{ seed, zeroConf: seed % 3 === 0, peers: seed % 5 === 0 },
    ...{ lightning: seed % 4 === 0, stores: seed % 8 === 4 },
  });
  try {
    const wrong = await playRound(world, plan).catch((error: unknown) => [
      String((error as Error).stack ?? error),
    ]);
    return { story: world.story, wrong };
  } finally {
    await world.stop();
  }
}

/** A failure is none of the service's while the machine stood still: the round says so, and is played again. */
async function playUndisturbed(plan: RoundPlan): Promise<Played> {
  for (let again = 0; ; again += 1) {
    const { result, stoodStillMs } = await withStandstill(() => play(plan));
    if (result.wrong.length === 0 || stoodStillMs < STANDS_STILL_MS || again === AGAIN) return result;
    const seconds = Math.round(stoodStillMs / 1_000);
    process.stdout.write(
      `      seed ${plan.seed} failed while the machine stood still for ${seconds} s; it is played again\n`,
    );
  }
}

/** The acts, and of them those with faults, with which the same is wrong; and how they were played last. */
async function shrunk(plan: RoundPlan, played: Played): Promise<{ plan: RoundPlan; played: Played }> {
  const { shrinkSeconds = SHRINK_SECONDS } = simulationOptions();
  const until = performance.now() + shrinkSeconds * 1_000;
  const isOver = (): boolean => performance.now() > until;
  const sentence = sentenceOf(played.wrong[0] ?? "");
  const best = { plan, played };
  const fails = async (fewer: RoundPlan): Promise<boolean> => {
    const again = await play(fewer);
    const same = sentenceOf(again.wrong[0] ?? "") === sentence;
    if (same) Object.assign(best, { plan: fewer, played: again });
    return same;
  };
  await shrink(best.plan.faulty, (faulty) => fails({ ...best.plan, faulty }), isOver);
  await shrink(best.plan.acts, (acts) => fails({ ...best.plan, acts }), isOver);
  return best;
}

async function playSeed(seed: number, acts: string | null = null): Promise<void> {
  const plan = planOf(seed, acts);
  const played = await playUndisturbed(plan);
  if (played.wrong.length === 0) return;
  const best = await shrunk(plan, played);
  const again = `npm run test:simulation -- --seed ${seed}`;
  const lines = best.played.story.map((line) => `    ${line}`).join("\n");
  throw new BrokenPromise(
    `Seed ${seed} (again: ${again}), the acts that are needed (again: ${again} --acts ${textOfActs(best.plan)}):
${lines}\n  ${best.played.wrong.join("\n  ")}`,
  );
}

describe("whatever happens, in any order", function () {
  const { seed, acts, rounds, hours, share, part } = simulationOptions();
  this.timeout(hours === null ? 300_000 : 0);

  if (hours !== null) {
    it(`keeps every promise for ${hours} hours`, async () => {
      const until = performance.now() + hours * 3_600_000;
      const failed: number[] = [];
      let played = 0;
      for (; performance.now() < until && failed.length < MOST_FAILURES; played += 1) {
        const seed = randomInt(2 ** 31);
        await playSeed(seed).catch((error: unknown) => {
          failed.push(seed);
          process.stdout.write(`${String(error)}\n`); // it is found hours before the end
        });
        if (played % 100 === 99)
          process.stdout.write(`      ${played + 1} rounds, ${failed.length} failed\n`);
      }
      process.stdout.write(`      ${played} rounds\n`);
      expect(failed, "seeds that failed").to.deep.equal([]);
    });
    return;
  }
  if (seed !== null) {
    it(`keeps every promise with seed ${seed}`, () => playSeed(seed, acts));
    return;
  }
  const own = Array.from({ length: Math.ceil(FRESH / share) }, (_, at) => 1_000_000 + part * FRESH + at);
  const kept = SEEDS.filter((each) => each % share === part % share);
  const some = rounds === null ? [...kept, ...own] : Array.from({ length: rounds }, (_, at) => at + 1);
  for (const one of KEPT)
    it(`keeps every promise with what is kept of seed ${one.seed}`, () => playSeed(one.seed, one.acts));
  for (const each of some) it(`keeps every promise with seed ${each}`, () => playSeed(each));
});
