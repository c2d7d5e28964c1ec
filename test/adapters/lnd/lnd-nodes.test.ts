import { expect } from "chai";
import { makeDialer } from "../../../adapters/lnd/dial";
import { LndFailure } from "../../../adapters/lnd/failure";
import { type LndNodes, makeLndNodes } from "../../../adapters/lnd/lnd-nodes";
import { SimulatedLnd } from "../../../scripts/devnet/lightning/simulated-lnd";
import { testDialer } from "../../support/context";

describe("a store's node that is connected", () => {
  let lnd: SimulatedLnd;
  before(async () => {
    lnd = await SimulatedLnd.start();
  });
  after(() => lnd.stop());
  const infoBy = async (nodes: LndNodes): Promise<string | null> => {
    const { url: address, tlsCert: certificate, quittanceMacaroon } = lnd.grpc;
    const given = { address, certificate, macaroon: quittanceMacaroon.toString("hex") };
    try {
      return (await nodes.of({ id: "lnd_own", given }).info()).nodeKey;
    } catch (error) {
      if (error instanceof LndFailure) return error.meaning;
      throw error;
    } finally {
      nodes.close();
    }
  };

  it("is called only where the rules for addresses allow it, also after its check", async () => {
    const strict = makeDialer({ allowedCidrs: [], torProxy: null });
    expect(await infoBy(makeLndNodes(null, strict))).to.equal("refused");
    expect(await infoBy(makeLndNodes(null, testDialer))).to.equal(lnd.nodeKey);
  });

  it("costs no more memory than its bound, whatever it answers", async () => {
    const { options } = await testDialer(lnd.grpc.url)();
    const none = { ...options, "grpc.max_receive_message_length": 1 };
    const bounded = makeLndNodes(null, (address) => async () => ({
      ...(await testDialer(address)()),
      options: none,
    }));
    expect(options["grpc.max_receive_message_length"]).to.be.at.most(8 * 1024 * 1024);
    expect(await infoBy(bounded)).not.to.equal(lnd.nodeKey);
  });
});
