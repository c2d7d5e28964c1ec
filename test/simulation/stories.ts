import type { World } from "./world";

/** A sale as it goes without a fault. */
export interface Story {
  name: string;
  lightning?: boolean;
  play(world: World): Promise<void>;
}

/** Both copies look at what happened, and the clock moves on. */
export const STORIES: readonly Story[] = [
  {
    name: "is paid in time and confirmed",
    async play(world) {
      const sale = await world.create();
      await world.pay(sale);
      await world.tick();
      await world.mine();
      await world.tick();
    },
  },
];
