import { expect } from "chai";
import { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";
import { testDatabaseUrl } from "../support/database";
import { Service, type PayableInvoice } from "../support/service";

const NEW = "New/None";
const PROCESSING = "Processing/None";
const SETTLED = "Settled/None";

/** The last migration before this version's; what a release adds comes after it. */
const OLDER = "NameWalletsAndSyncs1766300000000";

/**
 * The steps of docs/operations/set-up.md, "Upgrades" and "Going back": with invoices that are open, and customers who
 * pay while no app runs.
 */
describe("a return to the older tables, and an upgrade after it", () => {
  let node: SimulatedNode;
  let service: Service;
  const addresses = new Set<string>();
  let sold: PayableInvoice;
  let seen: PayableInvoice;
  let open: PayableInvoice;

  async function sell(): Promise<PayableInvoice> {
    const invoice = await service.createInvoice();
    expect(addresses, "an address was given out twice").not.to.include(invoice.address);
    addresses.add(invoice.address);
    return invoice;
  }

  before(async function () {
    this.timeout(120_000);
    node = await SimulatedNode.start();
    service = await Service.start({
      databaseUrl: await testDatabaseUrl({ empty: true }),
      bitcoindRpcUrl: node.rpcUrl,
    });
  });
  after(async function () {
    this.timeout(60_000);
    await service?.stop();
    await node?.stop();
  });
  afterEach(function () {
    if (this.currentTest?.state === "failed") process.stderr.write(service.logs());
  });

  it("begins with sales in every state", async function () {
    this.timeout(60_000);
    [sold, seen, open] = [await sell(), await sell(), await sell()];
    await node.pay(sold.address, 100_000n);
    await node.mine(1);
    await service.told(sold.invoiceId, [NEW, SETTLED], [NEW, PROCESSING, SETTLED]);
    await node.pay(seen.address, 100_000n);
    await service.told(seen.invoiceId, [NEW, PROCESSING]);
    await service.told(open.invoiceId, [NEW]);
  });

  it("is refused while apps run, and goes back once they are stopped", async function () {
    this.timeout(60_000);
    const refused = await service.cli("migrate", "--undo-to", OLDER).catch((error: unknown) => error);
    expect(String(refused)).to.include("Stop all apps first");
    await service.stopAll();
    const { undone } = await service.cli<{ undone: string[] }>("migrate", "--undo-to", OLDER);
    expect(undone).not.to.deep.equal([]);
    const [row] = await service.db.query<{ count: string }[]>("SELECT count(*) FROM invoices");
    expect(row).to.deep.equal({ count: "3" });
  });

  it("upgrades, and finds what was paid meanwhile, with each event once and no address twice", async function () {
    this.timeout(120_000);
    await node.pay(open.address, 100_000n);
    await node.mine(1);
    const { applied } = await service.cli<{ applied: string[] }>("migrate");
    expect(applied).not.to.deep.equal([]);
    await service.startAll();
    await service.told(seen.invoiceId, [NEW, PROCESSING, SETTLED]);
    await service.told(open.invoiceId, [NEW, SETTLED], [NEW, PROCESSING, SETTLED]);
    const next = await sell();
    await node.pay(next.address, 100_000n);
    await node.mine(1);
    await service.told(next.invoiceId, [NEW, SETTLED], [NEW, PROCESSING, SETTLED]);
    await service.verify();
    service.expectSigned();
  });
});
