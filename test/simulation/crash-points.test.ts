import { FAULT_KINDS } from "./faults";
import { playWithFault } from "./play";
import { STORIES } from "./stories";
import { World } from "./world";

describe("whatever ends or fails, at each statement and each call", function () {
  this.timeout(600_000);

  for (const story of STORIES)
    describe(`an invoice that ${story.name}`, () => {
      let world: World;
      before(async () => {
        world = await World.start({ lightning: story.lightning ?? false });
      });
      after(() => world.stop());

      it("keeps every promise without a fault", async () => {
        await playWithFault(world, story, null);
      });

      for (const kind of FAULT_KINDS)
        it(`keeps every promise where the fault is "${kind}"`, async () => {
          const t = performance.now();
          let at = 1;
          while (await playWithFault(world, story, { at, kind })) at += 1;
          console.log(at, (performance.now() - t) / at);
        });
    });
});
