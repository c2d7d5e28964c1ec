import { RealNode } from "../../scripts/devnet/bitcoin/real-node";
import { findBitcoind } from "../support/bitcoind-binary";
import { conformsToBitcoind } from "../support/conforms-to-bitcoind";

describe("a real bitcoind is what the simulated node claims to be", () => {
  conformsToBitcoind((options) => RealNode.start(findBitcoind(), options));
});
