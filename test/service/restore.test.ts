import { SimulatedNode } from "../support/devnet/simulated-node";
import { SimulatedLnd } from "../support/devnet/simulated-lnd";
import { restoreStories } from "../stories/restore-stories";

describe("a restore from a backup after the machine was lost, with the simulated nodes", () => {
  restoreStories(async () => ({ chain: await SimulatedNode.start(), lnd: await SimulatedLnd.start() }));
});
