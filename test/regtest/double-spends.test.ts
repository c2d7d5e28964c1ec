import { RealNode } from "../../scripts/devnet/bitcoin/real-node";
import { findBitcoind } from "../support/bitcoind-binary";
import { doubleSpendStories } from "../support/double-spend-stories";

describe("reorganisations and double spends, with a real bitcoind", () => {
  doubleSpendStories(() => RealNode.start(findBitcoind()));
});
