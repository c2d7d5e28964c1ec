import { startSimulatedNode } from "../../support/chain";
import { doubleSpendStories } from "../../support/double-spend-stories";

describe("reorganisations and double spends", () => {
  doubleSpendStories(startSimulatedNode);
});
