import { SimulatedNode } from "../../../scripts/devnet/bitcoin/simulated-node";
import { blindNodeStories } from "../../support/blind-node-stories";

describe("a node that missed transactions", () => {
  blindNodeStories((options) => SimulatedNode.start(options));
});
