import { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";
import { SimulatedLnd } from "../../scripts/devnet/lightning/simulated-lnd";
import { lightningStories } from "../support/lightning-stories";

describe("end to end by Lightning, with the simulated nodes", () => {
  lightningStories(async () => ({ chain: await SimulatedNode.start(), lnd: await SimulatedLnd.start() }));
});
