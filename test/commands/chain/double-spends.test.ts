import { startSimulatedNode } from "../../support/chain";
import { doubleSpendStories } from "../../stories/double-spend-stories";

describe("reorganisations and double spends", () => {
  doubleSpendStories(startSimulatedNode);
});
