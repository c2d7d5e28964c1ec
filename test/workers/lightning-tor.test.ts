import { expect } from "chai";
import { makeDialer } from "../../adapters/lnd/dial";
import { makeLndNodes } from "../../adapters/lnd/lnd-nodes";
import { makeVisitNode } from "../../adapters/lnd/visit";
import { makeProcessMetrics } from "../../adapters/metrics/process-metrics";
import { checkNode, type CheckStep } from "../../commands/lightning/check-node";
import { connectNode } from "../../commands/lightning/connect-node";
import { LightningNode } from "../../entities/lightning-node";
import { Payment } from "../../entities/payment";
import { SimulatedLnd } from "../support/devnet/simulated-lnd";
import { runLightningWatch } from "../../workers/lightning-watch";
import { failNow, testContext, type TestContext } from "../support/context";
import { testDatabase } from "../support/database";
import { eventually } from "../support/eventually";
import { buildInvoice, buildStore } from "../support/factories";
import { TEST_LND_TIMES } from "../support/lightning";
import { TorTunnel } from "../support/tor-tunnel";

const ONION = `${"quittance".padEnd(56, "x")}.onion:10009`;

describe("a store's node behind Tor", () => {
  let ctx: TestContext;
  let node: SimulatedLnd;
  let tor: TorTunnel;
  let nodes: ReturnType<typeof makeLndNodes>;

  beforeEach(async () => {
    node = await SimulatedLnd.start();
    tor = new TorTunnel(new Map([[ONION, node.grpc.url]]));
    await tor.start();
    const dialer = makeDialer({ allowedCidrs: [], torProxy: tor.address });
    nodes = makeLndNodes(null, dialer, TEST_LND_TIMES);
    const visitNode = makeVisitNode(dialer);
    ctx = await testContext({ db: await testDatabase(), lightning: nodes, visitNode });
  });
  afterEach(async () => {
    nodes.close();
    await tor.stop();
    await node.stop();
    await ctx.db.destroy();
  });

  const given = (address = ONION) => ({
    address,
    tlsCertificate: node.grpc.tlsCert,
    macaroon: node.grpc.quittanceMacaroon.toString("hex"),
  });
  const lastStep = async (address?: string): Promise<CheckStep | undefined> => {
    const { tlsCertificate: certificate, ...access } = given(address);
    const steps: CheckStep[] = [];
    for await (const step of checkNode(ctx, { certificate, ...access })) steps.push(step);
    return steps.at(-1);
  };

  it("is paid, also after Tor was away", async () => {
    const store = await buildStore(ctx);
    await connectNode(ctx, store.id, given());
    const { id } = await ctx.db.manager.findOneByOrFail(LightningNode, { storeId: store.id });
    const standing = (is: Partial<LightningNode>) =>
      eventually(async () =>
        expect(await ctx.db.manager.findOneBy(LightningNode, { id })).to.deep.include(is),
      );
    const pay = async (): Promise<void> => {
      const { invoice, methods } = await buildInvoice(ctx, { store, paymentMethods: ["BTC-LN"] });
      await node.pay(methods[0]?.destination ?? "");
      await eventually(() => ctx.db.manager.existsBy(Payment, { invoiceId: invoice.id }));
    };
    const metrics = makeProcessMetrics({ worker: "lightning-watch", instanceId: "a" });
    const times = { tickMs: 100, sweepMs: 60_000, watchdogMs: 500, backoffMs: [50, 200] } as const;
    const parts = { ctx, lightning: nodes, metrics, holder: "a", onFatal: failNow, times };
    const worker = runLightningWatch(parts);
    try {
      await standing({ synchronized: true, fault: null });
      await pay();
      await tor.stop();
      await standing({ synchronized: false, fault: "away" });
      await tor.start();
      await standing({ synchronized: true, fault: null });
      await pay();
    } finally {
      await worker.close();
    }
  });

  it("is not reached where Tor does not know it, or is away", async () => {
    expect(await lastStep()).to.include({ step: "bolt11", outcome: "passed" });
    const unknown = await lastStep(`${"nobody".padEnd(56, "x")}.onion:10009`);
    expect(unknown).to.include({ step: "reachable", outcome: "failed" });
    expect(unknown?.message).to.include("Nothing answers there");
    await tor.stop();
    const written: unknown[] = [];
    const { write } = process.stderr;
    process.stderr.write = (text) => written.push(text) > 0;
    const { tlsCertificate: certificate, macaroon } = given();
    const access = { id: "lnd_onion", given: { address: ONION, certificate, macaroon } };
    const failure = await nodes
      .of(access)
      .state()
      .catch((error: unknown) => error);
    process.stderr.write = write;
    expect(failure).to.include({ fault: "away" });
    expect(written, "lines beside the log").to.deep.equal([]);
    const away = await lastStep();
    expect(away).to.include({ step: "reachable", outcome: "failed" });
    expect(away?.message).to.include("TOR_PROXY");
    await tor.start();
  });
});
