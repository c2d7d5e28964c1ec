import { SimulatedNode } from "../support/devnet/simulated-node";
import { conformsToBitcoind } from "../support/conforms-to-bitcoind";

describe("the simulated node behaves as bitcoind", () => {
  conformsToBitcoind((options) => SimulatedNode.start(options));
});
