import { expect } from "chai";
import type { BitcoinNode } from "../support/devnet/bitcoin-node";
import { eventually } from "../support/eventually";
import { mineOutputs } from "../support/node-tricks";
import { Service } from "../support/service";

const SETTLED_WITHIN_MS = 30_000;

/** A transaction in a block that Postgres refuses to record, with every process of the service running. */
export function setAsideStories(startNode: () => Promise<BitcoinNode>): void {
  let node: BitcoinNode;
  let service: Service;
  before(async function () {
    this.timeout(120_000);
    node = await startNode();
    service = await Service.start({ bitcoindRpcUrl: node.rpcUrl });
  });
  after(async function () {
    this.timeout(60_000);
    await service?.stop();
    await node?.stop();
  });
  afterEach(function () {
    if (this.currentTest?.state === "failed") process.stderr.write(service.logs().slice(-20_000));
  });

  const settled = (invoiceId: string) =>
    eventually(
      async () => expect((await service.readInvoice(invoiceId)).status).to.equal("Settled"),
      SETTLED_WITHIN_MS,
    );

  it("sets aside a transaction that cannot be recorded, settles all others, and that one by `cli retry set-aside`", async function () {
    this.timeout(240_000);
    const [bad, good] = [await service.createInvoice(), await service.createInvoice()];
    await service.db.query(
      `CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN IF NEW.invoice_id = '${bad.invoiceId}' THEN RAISE EXCEPTION 'poison'; END IF; RETURN NEW; END $$`,
    );
    await service.db.query(
      `CREATE TRIGGER poison BEFORE INSERT ON payments FOR EACH ROW EXECUTE FUNCTION poison()`,
    );
    await mineOutputs(
      node,
      [bad, good].map(({ address }) => [{ address, amountSats: 100_000n }]),
    );
    await settled(good.invoiceId);
    expect(await service.doctor("set-aside")).to.deep.equal(["set-aside warning"]);
    const next = await service.createInvoice();
    await node.pay(next.address, 100_000n);
    await node.mine(1);
    await settled(next.invoiceId);
    expect((await service.readInvoice(bad.invoiceId)).status).to.equal("New");

    await service.db.query(`DROP FUNCTION poison CASCADE`);
    expect(await service.cli("retry", "set-aside")).to.deep.equal({ count: 1 });
    await settled(bad.invoiceId);
    expect(await service.doctor("set-aside")).to.deep.equal(["set-aside ok"]);
  });
}
