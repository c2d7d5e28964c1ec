import { RealNode } from "../support/real-nodes/real-node";
import { findBitcoind } from "../support/bitcoind-binary";
import { conformsToBitcoind } from "../support/conforms-to-bitcoind";

describe("a real bitcoind behaves as the simulated node does", () => {
  conformsToBitcoind((options) => RealNode.start(findBitcoind(), options));
});
