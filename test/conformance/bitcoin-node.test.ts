import { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";
import { conformsToBitcoind } from "../support/conforms-to-bitcoind";

describe("the simulated node behaves as bitcoind", () => {
  conformsToBitcoind((options) => SimulatedNode.start(options));
});
