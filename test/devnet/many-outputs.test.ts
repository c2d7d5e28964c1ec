import { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";
import { manyOutputsStories } from "../support/many-outputs-stories";

describe("thousands of outputs in a block", () => {
  manyOutputsStories(() => SimulatedNode.start());
});
