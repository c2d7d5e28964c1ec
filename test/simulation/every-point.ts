import { FAULT_KINDS, type FaultKind } from "./faults";
import { playWithFault } from "./play";
import { simulationOptions } from "./options";
import type { Story } from "./stories";
import { World } from "./world";

/**
 * Of the failed calls, which leave the world as it is, every so-maniest is tried where nothing else is asked for; and that
 * a process ends behind an effect, which is where it ends in front of the next one.
 */
const FAILS_EVERY = 13;

/** Tests for stories: played once for each point at which something can happen, each time with one fault there. */
export function testEveryPoint(stories: readonly Story[]): void {
  const { every, seed, rounds, hours } = simulationOptions();
  if ([seed, rounds, hours].some((asked) => asked !== null)) return; // for rounds alone
  const kinds = FAULT_KINDS.filter((kind) => every || kind !== "ends after");
  for (const story of stories)
    describe(`an invoice that ${story.name}`, function () {
      this.timeout(every ? 0 : 300_000);
      let world: World;
      before(async () => {
        world = await World.start({ lightning: story.lightning ?? false });
      });
      after(() => world.stop());

      it("keeps every promise without a fault", () => playWithFault(world, story, null));

      for (const kind of kinds)
        it(`keeps every promise where the fault is "${kind}", wherever it is`, () =>
          tryEach(world, story, kind, kind === "fails" && !every ? FAILS_EVERY : 1));
    });
}

async function tryEach(world: World, story: Story, kind: FaultKind, stride: number): Promise<void> {
  let at = 1;
  while (await playWithFault(world, story, { at, kind })) at += stride;
}
