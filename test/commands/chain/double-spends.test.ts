import { SimulatedNode } from "../../../scripts/devnet/bitcoin/simulated-node";
import { doubleSpendStories } from "../../support/double-spend-stories";

describe("reorganisations and double spends", () => {
  doubleSpendStories(() => SimulatedNode.start());
});
