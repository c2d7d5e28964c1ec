import { expect } from "chai";
import { SimulatedNode } from "./support/devnet/simulated-node";
import { SimulatedLnd } from "./support/devnet/simulated-lnd";
import { eventually } from "./support/eventually";
import { Service } from "./support/service";

const [NEW, PROCESSING, SETTLED] = ["New/None", "Processing/None", "Settled/None"];

// The one test of the whole service in `npm test`; its drills are test/service and test/regtest.
describe("a sale through the whole service, with the simulated nodes", function () {
  this.timeout(120_000);
  let chain: SimulatedNode;
  let lnd: SimulatedLnd;
  let service: Service;

  before(async () => {
    chain = await SimulatedNode.start();
    lnd = await SimulatedLnd.start();
    const { url, tlsCert, adminMacaroon } = lnd.grpc;
    service = await Service.start({
      bitcoindRpcUrl: chain.rpcUrl,
      lndEnvironment: {
        LND_GRPC_URL: url,
        LND_TLS_CERT_HEX: Buffer.from(tlsCert).toString("hex"),
        LND_MACAROON_HEX: Buffer.from(adminMacaroon).toString("hex"),
      },
    });
    await eventually(async () => {
      const answer = await fetch(`${service.base}/api/v1/health`);
      const { checks } = (await answer.json()) as { checks: Record<string, { status: string }> };
      expect([checks["bitcoin"]?.status, checks["lightning"]?.status]).to.deep.equal(["ok", "ok"]);
    });
  });
  after(async () => {
    await service?.stop();
    await lnd?.stop();
    await chain?.stop();
  });
  afterEach(function () {
    if (this.currentTest?.state === "failed") process.stderr.write(service.logs());
  });

  it("sends New, Processing and Settled once each when the customer pays on-chain", async () => {
    const { invoiceId, address, dueSats } = await service.createInvoice();
    const txid = await chain.pay(address, BigInt(dueSats));
    await service.told(invoiceId, [NEW, PROCESSING]);
    await chain.mine(1);
    await service.told(invoiceId, [NEW, PROCESSING, SETTLED]);
    const { status, confirmedSats, payments } = await service.readInvoice(invoiceId);
    expect({ status, confirmedSats }).to.deep.equal({ status: "Settled", confirmedSats: dueSats });
    expect(payments.map((payment) => payment.txid)).to.deep.equal([txid]);
    service.expectSigned();
    await service.verify();
  });

  it("sends New and Settled once each when the customer pays by Lightning", async () => {
    const { invoiceId, bolt11, dueSats } = await service.createInvoice();
    const { preimage } = await lnd.pay(bolt11);
    await service.told(invoiceId, [NEW, SETTLED]);
    const { status, confirmedSats, payments } = await service.readInvoice(invoiceId);
    expect({ status, confirmedSats }).to.deep.equal({ status: "Settled", confirmedSats: dueSats });
    expect(payments.map((payment) => payment.preimage)).to.deep.equal([preimage]);
    service.expectSigned();
    await service.verify();
  });
});
