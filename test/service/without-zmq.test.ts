import { expect } from "chai";
import { SimulatedNode } from "../support/devnet/simulated-node";
import { Service } from "../support/service";

/** As on a system for which zeromq brings no native code. */
const WITHOUT_ADDON = `
  import { Module } from "node:module";
  const load = Module._extensions[".node"];
  Module._extensions[".node"] = (module, file) => {
    if (file.includes("zeromq")) throw new Error("no such addon");
    load(module, file);
  };`;

describe("end to end, where zeromq cannot be loaded", function () {
  this.timeout(120_000);
  let node: SimulatedNode;
  let service: Service;

  before(async () => {
    node = await SimulatedNode.start();
    service = await Service.start({
      bitcoindRpcUrl: node.rpcUrl,
      settings: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(WITHOUT_ADDON)}` },
    });
  });
  after(async () => {
    await service?.stop();
    await node?.stop();
  });
  afterEach(function () {
    if (this.currentTest?.state === "failed") process.stderr.write(service.logs());
  });

  it("says so once, and finds payments and blocks by asking the node", async () => {
    const invoice = await service.createInvoice();
    await node.pay(invoice.address, 100_000n);
    await service.told(invoice.invoiceId, ["New/None", "Processing/None"]);
    await node.mine(1);
    await service.told(invoice.invoiceId, ["New/None", "Processing/None", "Settled/None"]);
    expect(service.logs().match(/"message":"zmq: unusable, polling instead"/g)).to.have.length(1);
    await service.verify();
  });
});
