import { randomBytes } from "node:crypto";
import { expect } from "chai";
import type { LndClient } from "../../../adapters/lnd/client";
import { makeLndClient } from "../../../adapters/lnd/lnd-client";
import type { Bolt11Request } from "../../../commands/ports";
import { SimulatedLnd } from "../../support/devnet/simulated-lnd";
import { lndSettingsOf, TEST_LND_TIMES } from "../../support/lightning";

const request = (): Bolt11Request => ({
  preimage: randomBytes(32),
  amountSats: 1_234n,
  description: "two coffees",
  expiresInSeconds: 900,
  privateRouteHints: false,
});
const refusalOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.fail("it was answered"),
    (cause: unknown) => cause,
  );

/** What a real LND does too is in `conformsToLnd`. */
describe("LND's client", () => {
  let node: SimulatedLnd;
  let lnd: LndClient;
  beforeEach(async () => {
    node = await SimulatedLnd.start();
    lnd = makeLndClient(lndSettingsOf(node.grpc), TEST_LND_TIMES);
  });
  afterEach(async () => {
    lnd.close();
    await node.stop();
  });

  it("fails when LND says that there is an invoice but shows none", async () => {
    node.faults.refuse = { AddInvoice: "invoice with payment hash already exists" };
    expect(await refusalOf(lnd.addInvoice(request()))).to.include({ meaning: "malformed" });
  });

  it("looks up an invoice that is being paid, whose payment has not arrived yet, and cannot cancel it", async () => {
    const { bolt11, paymentHash } = await lnd.addInvoice(request());
    node.hold(bolt11);
    expect(await lnd.lookUpInvoice(paymentHash)).to.include({
      state: "accepted",
      amountPaidMsat: 0n,
      settledAt: null,
      settleIndex: 0n,
    });
    node.faults.refuse = { CancelInvoice: "invoice already accepted" };
    expect(await lnd.cancelInvoice(paymentHash)).to.equal("accepted");
  });

  it("reports what active channels can receive, less the other side's reserve", async () => {
    expect(await lnd.receivableSats()).to.equal(await node.receivableSats());
    node.limitReceivable(-1n);
    expect(await lnd.receivableSats()).to.equal(0n);
  });

  it("distinguishes locked from starting and from active, and each call by the fault", async () => {
    for (const [state, expected] of [
      ["LOCKED", "locked"],
      ["NON_EXISTING", "locked"],
      ["UNLOCKED", "starting"],
      ["WAITING_TO_START", "starting"],
    ] as const) {
      node.setState(state);
      expect(await lnd.state(), state).to.equal(expected);
      for (const call of [lnd.info(), lnd.addInvoice(request()), lnd.lookUpInvoice("11".repeat(32))])
        expect(await refusalOf(call), state).to.include({ fault: expected });
    }
    node.setState("RPC_ACTIVE");
    expect(await lnd.state()).to.equal("starting");
    await node.unlock();
    expect(await lnd.state()).to.equal("active");
  });
});
