import type { FaultPlan } from "./faults";
import type { Story } from "./stories";
import type { World } from "./world";

/** Of a story that broke a promise: who did what, in order. */
export class BrokenPromise extends Error {
  override readonly name = "BrokenPromise";
}

/** Plays a story with one fault, lets the world come to rest, and has it judged. Answers whether the fault was reached. */
export async function playWithFault(world: World, story: Story, plan: FaultPlan | null): Promise<boolean> {
  await world.begin();
  world.faults.begin(plan);
  let wrong: string[];
  try {
    await story.play(world);
    wrong = await world.settle();
  } catch (error) {
    wrong = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  }
  if (wrong.length > 0) {
    const where = plan ? `, ${plan.kind} at call ${plan.at}` : "";
    const lines = world.story.map((line) => `    ${line}`).join("\n");
    throw new BrokenPromise(`An invoice that ${story.name}${where}:\n${lines}\n  ${wrong.join("\n  ")}`);
  }
  return world.faults.hit !== null;
}
