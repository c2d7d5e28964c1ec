import { RealNode } from "../support/real-nodes/real-node";
import { blindNodeStories } from "../stories/blind-node-stories";
import { findBitcoind } from "../support/bitcoind-binary";

describe("a real bitcoind that missed transactions", () => {
  blindNodeStories((options) => RealNode.start(findBitcoind(), options));
});
