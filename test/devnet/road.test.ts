import { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";
import { roadStories } from "../support/road-stories";

describe("end to end, with the simulated node", () => {
  roadStories(() => SimulatedNode.start());
});
