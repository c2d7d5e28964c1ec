import { RealNode } from "../support/real-nodes/real-node";
import { findBitcoind } from "../support/bitcoind-binary";
import { manyOutputsStories } from "../stories/many-outputs-stories";

describe("thousands of outputs in a block, with a real bitcoind", () => {
  manyOutputsStories(() => RealNode.start(findBitcoind()));
});
