import { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";
import { setAsideStories } from "../support/set-aside-stories";

describe("a block that cannot be processed", () => {
  setAsideStories(() => SimulatedNode.start());
});
