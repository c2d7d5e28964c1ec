import { expect } from "chai";
import { PAYMENTS_SHOWN } from "../../commands/invoices/read-invoice";
import { createInvoice } from "../../commands/invoices/create-invoice";
import { peakMb } from "../../scripts/bench/parts";
import type { BitcoinNode } from "../support/devnet/bitcoin-node";
import { testContext } from "../support/context";
import { eventually } from "../support/eventually";
import { mineOutputs } from "../support/node-tricks";
import { APPS, Service } from "../support/service";

const OUTPUT_SATS = 1_000n;
/** docs/performance.md: of each process under abuse. */
const MEMORY_MB = 256;
const PAGE_MS = 1_000;
const SETTLED_WITHIN_MS = 120_000;

/**
 * Blocks with thousands of outputs to us, as anybody can make them for their fees: with every process of the service
 * running, with the simulated node and with a real bitcoind.
 */
export function manyOutputsStories(startNode: () => Promise<BitcoinNode>): void {
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

  const outputsTo = (address: string, count: number) =>
    Array.from({ length: count }, () => ({ address, amountSats: OUTPUT_SATS }));
  const settled = (invoiceId: string) =>
    eventually(async () => {
      const invoice = await service.readInvoice(invoiceId);
      expect(invoice.status).to.equal("Settled");
      expect(invoice.confirmedSats).to.equal(invoice.paidSats);
      return invoice;
    }, SETTLED_WITHIN_MS);
  /** One that is paid in the block after it. */
  const nextBlockSettles = async (): Promise<void> => {
    const { invoiceId, address } = await service.createInvoice();
    await node.pay(address, 100_000n);
    await node.mine(1);
    await settled(invoiceId);
  };
  const expectBoundedMemory = (): void => {
    for (const app of APPS)
      for (const { pid } of service.processesOf(app)) {
        const peak = peakMb(pid);
        process.stdout.write(`      ${app}: ${Math.round(peak)} MB\n`);
        expect(peak, `peak memory of ${app} in MB`).to.be.below(MEMORY_MB);
      }
  };
  const openPage = async (invoiceId: string): Promise<string> => {
    const began = performance.now();
    const answer = await fetch(`${service.base}/i/${invoiceId}`);
    const page = await answer.text();
    expect(answer.status).to.equal(200);
    expect(performance.now() - began, "ms to the page").to.be.below(PAGE_MS);
    return page;
  };

  it("settles an invoice that one transaction pays with 17,000 outputs, and the next block's", async function () {
    this.timeout(240_000);
    const { invoiceId, address } = await service.createInvoice({ amount: "17000000" });
    await mineOutputs(node, [outputsTo(address, 17_000)]);
    const invoice = await settled(invoiceId);
    expect(invoice).to.deep.include({ paidSats: 17_000_000, paymentsOmitted: 17_000 - PAYMENTS_SHOWN });
    expect(invoice.payments).to.have.length(PAYMENTS_SHOWN);
    await nextBlockSettles();
    const page = await openPage(invoiceId);
    expect(page.length, "bytes of the page").to.be.below(200_000);
    expectBoundedMemory();
  });

  it("settles 2,000 invoices that one transaction pays, and the next block's", async function () {
    this.timeout(240_000);
    const ctx = await testContext({ db: service.db });
    const outputs: { address: string; amountSats: bigint }[] = [];
    const price = { amount: "1000", currency: "SATS" };
    while (outputs.length < 2_000) {
      const views = await Promise.all(
        Array.from({ length: 100 }, () => createInvoice(ctx, service.shop.storeId, price)),
      );
      for (const { methods } of views)
        outputs.push({ address: methods[0]?.destination ?? "", amountSats: OUTPUT_SATS });
    }
    await mineOutputs(node, [outputs]);
    await eventually(async () => {
      const [row] = await service.db.query<{ settled: number }[]>(
        `SELECT count(*)::int AS settled FROM invoices WHERE status = 'Settled' AND due_sats = 1000`,
      );
      expect(row?.settled).to.equal(2_000);
    }, SETTLED_WITHIN_MS);
    await nextBlockSettles();
    expectBoundedMemory();
  });
}
