import { expect } from "chai";
import { PAYMENTS_SHOWN, readInvoice } from "../../../commands/invoices/read-invoice";
import { checkoutView } from "../../../api/checkout/view";
import { readCheckout } from "../../../commands/invoices/read-checkout";
import { listInvoices } from "../../../commands/invoices/list-invoices";
import { ChainBench } from "../../support/chain";
import { mineOutputs } from "../../support/node-tricks";

const OUTPUT_SATS = 1_000n;

describe("an invoice with many payments", function () {
  this.timeout(60_000);
  let bench: ChainBench;
  beforeEach(async () => {
    bench = await ChainBench.start();
    await bench.look();
  });
  afterEach(() => bench.stop());

  const outputsTo = (address: string, count: number) =>
    Array.from({ length: count }, () => ({ address, amountSats: OUTPUT_SATS }));

  it("raises one alert when a reorganisation removes its block, resolved by the next block", async () => {
    const { id, address } = await bench.invoice({ amount: "3000" });
    await bench.node.payMany(outputsTo(address, 3));
    await bench.node.mine(1);
    await bench.look();
    const [first] = await bench.payments(id);
    await bench.node.rpc("invalidateblock", first?.blockHash);
    await bench.look();
    const alerts = await bench.alerts("reorganisation");
    expect(alerts.map(({ message }) => message).join()).to.match(/with 3 payments of 3000 sats together/);
    expect(alerts).to.have.length(1);
    await bench.node.mine(2);
    await bench.look();
    expect((await bench.alerts("reorganisation"))[0]?.resolvedAt).to.not.equal(null);
  });

  it("is confirmed beside others when it has more payments than one transaction takes", async () => {
    const invoices = [];
    for (let at = 0; at < 3; at += 1) invoices.push(await bench.invoice({ amount: "2500000" }));
    await mineOutputs(
      bench.node,
      invoices.map(({ address }) => outputsTo(address, 2_500)),
    );
    await bench.look();
    for (const { id } of invoices) expect(await bench.status(id)).to.equal("Settled/None");
  });

  it("is answered with the largest payments that count, and the number of the others", async () => {
    const { id, address, view } = await bench.invoice({ amount: "1000" });
    const dust = Array.from({ length: PAYMENTS_SHOWN + 20 }, () => ({ address, amountSats: 100n }));
    await mineOutputs(bench.node, [[...dust, { address, amountSats: 1_000n }]]);
    await bench.look();
    const { storeId } = view.invoice;
    const shown = await readInvoice(bench.ctx, storeId, id);
    expect(shown.payments).to.have.length(PAYMENTS_SHOWN);
    expect(shown.paymentsOmitted).to.equal(21);
    expect(shown.payments.map(({ amountSats }) => amountSats)).to.include(1_000n);
    const page = await listInvoices(
      bench.ctx,
      storeId,
      { archived: false },
      { limit: 10, cursor: undefined },
    );
    expect(page.items[0]).to.deep.equal(shown);
    const checkout = checkoutView(await readCheckout(bench.ctx, id));
    expect(checkout).to.deep.include({ phase: "paid", receiptsOmitted: 0 });
    expect(checkout.receipts).to.have.length(1);
  });

  it("shows twenty receipts on its page, and the number of the others", async () => {
    const { id, address } = await bench.invoice({ amount: "150000" });
    await mineOutputs(bench.node, [[{ address, amountSats: 2_000n }, ...outputsTo(address, 149)]]);
    await bench.look();
    const checkout = checkoutView(await readCheckout(bench.ctx, id));
    expect(checkout.receipts).to.have.length(20);
    expect(checkout.receipts.map(({ amount }) => amount.sats)).to.include(2_000n);
    expect(checkout.receiptsOmitted).to.equal(130);
  });
});
