import { SimulatedLnd } from "../support/devnet/simulated-lnd";
import { conformsToLnd } from "../support/conforms-to-lnd";

describe("the simulated LND behaves as lnd", () => {
  conformsToLnd(() => SimulatedLnd.start());
});
