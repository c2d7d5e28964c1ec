import { randomInt } from "node:crypto";
import { BrokenPromise } from "./play";
import { simulationOptions } from "./options";
import { playRound } from "./round";
import { World } from "./world";

/** Of a run that is asked for nothing else: some that are always the same, and some that nobody has played. */
const SEEDS = Array.from({ length: 25 }, (_, at) => at + 1);
const FRESH = Array.from({ length: 5 }, () => randomInt(2 ** 31));
/** Seeds that failed once. */
const KEPT: readonly number[] = [];

async function playSeed(seed: number): Promise<void> {
  const world = await World.start({
    ...{ seed, lightning: seed % 4 === 0, zeroConf: seed % 3 === 0, peers: seed % 5 === 0 },
  });
  try {
    const wrong = await playRound(world).catch((error: unknown) => [String((error as Error).stack ?? error)]);
    if (wrong.length === 0) return;
    const lines = world.story.map((line) => `    ${line}`).join("\n");
    const again = `npm run test:simulation -- --seed ${seed}`;
    throw new BrokenPromise(`Seed ${seed} (again: ${again}):\n${lines}\n  ${wrong.join("\n  ")}`);
  } finally {
    await world.stop();
  }
}

describe("whatever happens, in any order", function () {
  const { seed, rounds, hours } = simulationOptions();
  this.timeout(hours === null ? 300_000 : 0);

  if (hours !== null) {
    it(`keeps every promise for ${hours} hours`, async () => {
      const until = performance.now() + hours * 3_600_000;
      let played = 0;
      for (; performance.now() < until; played += 1) await playSeed(randomInt(2 ** 31));
      process.stdout.write(`      ${played} rounds\n`);
    });
    return;
  }
  const some = rounds === null ? [...SEEDS, ...FRESH] : Array.from({ length: rounds }, (_, at) => at + 1);
  for (const each of seed === null ? [...KEPT, ...some] : [seed])
    it(`keeps every promise with seed ${each}`, () => playSeed(each));
});
