import { RealNode } from "../support/real-nodes/real-node";
import { findBitcoind } from "../support/bitcoind-binary";
import { setAsideStories } from "../stories/set-aside-stories";

describe("a block that cannot be processed, with a real bitcoind", () => {
  setAsideStories(() => RealNode.start(findBitcoind()));
});
