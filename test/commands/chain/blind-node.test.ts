import { SimulatedNode } from "../../support/devnet/simulated-node";
import { blindNodeStories } from "../../stories/blind-node-stories";

describe("a node that missed transactions", () => {
  blindNodeStories(async (options) => {
    const node = await SimulatedNode.start(options);
    node.core.startedAt -= 86_400; // its uptime, in whole seconds, shows a restart
    return node;
  });
});
