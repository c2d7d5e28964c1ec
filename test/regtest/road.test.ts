import { RealNode } from "../../scripts/devnet/bitcoin/real-node";
import { findBitcoind } from "../support/bitcoind-binary";
import { roadStories } from "../support/road-stories";

describe("the whole road, with a real bitcoind", () => {
  roadStories(() => RealNode.start(findBitcoind()));
});
