import { RealNode } from "../support/real-nodes/real-node";
import { findBitcoind } from "../support/bitcoind-binary";
import { otherChainStories } from "../stories/other-chain-stories";

describe("a real bitcoind on another chain", () => {
  otherChainStories(() => RealNode.start(findBitcoind()));
});
