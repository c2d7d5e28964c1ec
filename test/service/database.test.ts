import { expect } from "chai";
import { SimulatedNode } from "../support/devnet/simulated-node";
import { eventually } from "../support/eventually";
import { startGate, type Gate } from "../support/gate";
import { APPS, Service } from "../support/service";

const NEW = "New/None";
const PROCESSING = "Processing/None";
const SETTLED = "Settled/None";

describe("end to end, with a database that goes away", () => {
  let node: SimulatedNode;
  let gate: Gate;
  let service: Service;

  before(async function () {
    this.timeout(120_000);
    node = await SimulatedNode.start();
    service = await Service.start({
      bitcoindRpcUrl: node.rpcUrl,
      wayToDatabase: async (url) => (gate = await startGate(url)).url,
    });
  });
  after(async function () {
    this.timeout(60_000);
    await service?.stop();
    await gate?.shut();
    await node?.stop();
  });
  afterEach(function () {
    if (this.currentTest?.state === "failed") process.stderr.write(service.logs());
  });

  it("refuses requests with 503, ends no process, and continues with what happened meanwhile", async function () {
    this.timeout(90_000);
    const seen = await service.createInvoice();
    const unseen = await service.createInvoice();
    await node.pay(seen.address, 100_000n);
    await service.told(seen.invoiceId, [NEW, PROCESSING]);
    await service.told(unseen.invoiceId, [NEW]);

    await gate.shut();
    const began = new Date();
    await node.pay(unseen.address, 100_000n);
    await node.mine(1);
    const refused = await service.call(service.shop, "POST", "/invoices", { amount: "1", currency: "SATS" });
    expect([refused.status, refused.json.code]).to.deep.equal([503, "unavailable"]);
    const health = await fetch(`${service.base}/api/v1/health`);
    expect(health.status).to.equal(503);
    // Every process has met it, in what it does and in its sign of life.
    await eventually(() => {
      const logs = service.logs(began);
      for (const app of service.programs()) expect(logs).to.match(new RegExp(`"worker":"${app}"`));
    }, 30_000);
    for (const app of APPS) expect(service.processesOf(app), app).to.have.lengthOf(1);

    await gate.open();
    await service.told(seen.invoiceId, [NEW, PROCESSING, SETTLED]);
    await service.told(unseen.invoiceId, [NEW, SETTLED], [NEW, PROCESSING, SETTLED]);
    const after = await service.createInvoice();
    await node.pay(after.address, 100_000n);
    await service.told(after.invoiceId, [NEW, PROCESSING]);
    for (const app of APPS) expect(service.processesOf(app), app).to.have.lengthOf(1);
    await service.verify();
    service.expectSigned();
  });
});
