import { RealNode } from "../support/real-nodes/real-node";
import { findBitcoind } from "../support/bitcoind-binary";
import { roadStories } from "../stories/road-stories";

describe("end to end, with a real bitcoind", () => {
  roadStories(() => RealNode.start(findBitcoind()));
});
