import { actsOf, CREATE, LEASE_SECONDS, pickAct, type Round } from "./acts";
import { Chance, seedOf } from "./chance";
import { FAULT_KINDS } from "./faults";
import type { World } from "./world";

/** The first act makes an invoice. */
const ACTS = 46;
/** Of a call of a node, the queue, a merchant's server, or a statement. */
const FAULT_PROBABILITY = 0.004;
const TICKS_TO_REST = 12;

/** What a round is made of: each act has chances of its own, so that the others stay as they are when some are left out. */
export interface RoundPlan {
  seed: number;
  /** Default: all. */
  acts: readonly number[];
  /** Acts in which there are faults by chance. */
  faulty: readonly number[];
}

const ALL = Array.from({ length: ACTS }, (_, at) => at);

/** The plan of a seed, or of some acts of it: `0,7!,31` are three, the second with its faults. */
export function planOf(seed: number, acts: string | null = null): RoundPlan {
  if (acts === null) return { seed, acts: ALL, faulty: ALL };
  const words = acts.split(",");
  if (!words.every((word) => /^\d+!?$/.test(word))) throw new Error(`"${acts}" are no acts, as 0,7!,31 are`);
  const some = words.map((word) => ({ at: Number.parseInt(word, 10), faulty: word.endsWith("!") }));
  const faulty = some.flatMap(({ at, faulty }) => (faulty ? [at] : []));
  return { seed, acts: some.map(({ at }) => at), faulty };
}

/** As `planOf` reads them. */
export function textOfActs({ acts, faulty }: RoundPlan): string {
  return acts.map((at) => `${at}${faulty.includes(at) ? "!" : ""}`).join(",");
}

/** One round: some sales, what happens to them by the world's chance, and what must be true of them in the end. */
export async function playRound(world: World, { seed, acts, faulty }: RoundPlan): Promise<string[]> {
  const chance = new Chance(seed);
  const faults = new Chance(seed);
  await world.begin();
  world.faults.begin(null);
  const round: Round = { world, chance, sent: [] };
  const possible = actsOf(world);
  for (const at of acts) {
    chance.restart(seedOf(seed, "act", at));
    world.chance.restart(seedOf(seed, "world", at));
    faults.restart(seedOf(seed, "faults", at));
    world.faults.chance = () =>
      faulty.includes(at) && faults.happens(FAULT_PROBABILITY) ? faults.of(FAULT_KINDS) : null;
    await (at === 0 ? CREATE : pickAct(chance, possible)).act(round);
  }
  world.chance.restart(seedOf(seed, "world", ACTS));
  world.faults.end();
  await comeToRest(round);
  return world.settle(TICKS_TO_REST);
}

/** What was broken works again, and what waited for somebody goes on. */
async function comeToRest({ world, chance }: Round): Promise<void> {
  world.refuse(false);
  if (world.alone) await world.rejoin();
  await world.unlockLnds();
  if (world.lnds.length > 0)
    for (const sale of world.openSales)
      await (chance.happens(0.5) ? world.settleHeld(sale) : world.releaseHeld(sale));
  world.merchant.manner = "accepts";
  // While the service's node may have missed payments, expiries wait for a complete check, which a dead leader's lease
  // delays, and for a block that is found after it.
  await world.pass(LEASE_SECONDS);
  // The second one proves that the node heard what was sent before the first.
  for (let time = 0; time < 2; time += 1) await world.tick();
  await world.mine();
  for (let time = 0; time < 2; time += 1) await world.tick();
}
