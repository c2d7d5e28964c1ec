import { SimulatedLnd } from "../../scripts/devnet/lightning/simulated-lnd";
import { conformsToLnd } from "../support/conforms-to-lnd";

describe("the simulated LND behaves as lnd", () => {
  conformsToLnd(() => SimulatedLnd.start());
});
