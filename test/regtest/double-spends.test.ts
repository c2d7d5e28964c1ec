import { RealNode } from "../support/real-nodes/real-node";
import { findBitcoind } from "../support/bitcoind-binary";
import { doubleSpendStories } from "../stories/double-spend-stories";

describe("reorganisations and double spends, with a real bitcoind", () => {
  doubleSpendStories(() => RealNode.start(findBitcoind()));
});
