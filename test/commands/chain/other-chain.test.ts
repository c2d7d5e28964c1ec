import { SimulatedNode } from "../../support/devnet/simulated-node";
import { otherChainStories } from "../../stories/other-chain-stories";

describe("a node on another chain", () => {
  otherChainStories(() => SimulatedNode.start());
});
