import { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";
import { roadStories } from "../support/road-stories";

describe("the whole road, with the simulated node", () => {
  roadStories(() => SimulatedNode.start());
});
