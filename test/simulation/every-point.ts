import { FAULT_KINDS, type FaultKind } from "./faults";
import { playWithFault } from "./play";
import { simulationOptions } from "./options";
import type { Story } from "./stories";
import { World } from "./world";

/**
 * Where nothing else is asked for, a process ends at every single point, which is in front of every effect: one that ends behind
 * an effect ends in front of the next one. Of the lost answers, the failed calls, which leave the world as it is, and the silent
 * ones every so-maniest is tried; hanging calls are for rounds.
 */
const DEFAULT: Readonly<Record<FaultKind, { first: number; every: number } | null>> = {
  "ends before": { first: 1, every: 1 },
  "answer lost": { first: 2, every: 2 },
  fails: { first: 1, every: 29 },
  hangs: null,
  "is silent": { first: 11, every: 89 },
  "ends after": null,
};
/** Of stories whose danger is in the world: so many times fewer points, but where a process ends. */
const SPARSE = 3;
const EACH = { first: 1, every: 1 };

/** A story ends near the point where it ended without a fault, unless it works again on what the earlier ones left. */
const TIMES_MAX = 3;

/** Tests for stories: played once for each point at which something can happen, each time with one fault there. */
export function testEveryPoint(stories: readonly Story[], { sparse = false } = {}): void {
  const { every, share, part } = simulationOptions();
  for (const story of stories)
    describe(`an invoice that ${story.name}`, function () {
      this.timeout(every ? 0 : 600_000);
      let world: World;
      let calls = Infinity; // of a run that leaves out the story without a fault
      before(async () => {
        world = await World.start(story.world);
      });
      after(() => world.stop());

      it("keeps every promise without a fault", async () => {
        await playWithFault(world, story, null);
        calls = world.faults.calls;
      });

      for (const kind of FAULT_KINDS) {
        const points = every ? EACH : DEFAULT[kind];
        if (points === null || story.long) continue;
        it(`keeps every promise where the fault is "${kind}", wherever it is`, async () => {
          const isSparse = sparse && !every && kind !== "ends before";
          const apart = isSparse ? SPARSE * points.every : points.every;
          const step = share * apart;
          const first = points.first + (part % share) * apart;
          for (let at = first; await playWithFault(world, story, { at, kind }); at += step)
            if (at > TIMES_MAX * calls) throw new Error(`the story does not end within ${at} calls`);
        });
      }
    });
}
