import { expect } from "chai";
import { expireTestInvoice } from "../../../commands/invoices/expire-test-invoice";
import { NETWORKS } from "../../../domain/network";
import { Invoice } from "../../../entities/invoice";
import { InvoiceHistory } from "../../../entities/invoice-history";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildInvoice } from "../../support/factories";
import { failureOf } from "../../support/refusal";

describe("expireTestInvoice", () => {
  let ctx: TestContext;
  before(async () => void (ctx = await testContext({ db: await testDatabase() })));
  after(() => ctx.db.destroy());

  const read = (id: string): Promise<Invoice> => ctx.db.manager.findOneByOrFail(Invoice, { id });

  it("ends an invoice's time now, requests the decision, and leaves the end of monitoring", async () => {
    const { invoice } = await buildInvoice(ctx, { expiresInSeconds: 900, monitoringSeconds: 3_600 });
    const before = await ctx.now(ctx.db.manager);
    await expireTestInvoice(ctx, invoice.id);
    const { expiresAt, monitoringUntil, decideAt, status } = await read(invoice.id);
    expect(expiresAt).to.be.within(before, await ctx.now(ctx.db.manager));
    expect(monitoringUntil.getTime() - expiresAt.getTime()).to.equal(3_600_000);
    expect({ decideAt, status }).to.deep.equal({ decideAt: expiresAt, status: "New" });
    expect(ctx.jobsOf("invoices")).to.deep.include({ invoiceId: invoice.id });
    const lines = await ctx.db.manager.findBy(InvoiceHistory, { invoiceId: invoice.id, kind: "edited" });
    expect(lines.map(({ details }) => details)).to.deep.equal([{ fields: ["expiresAt"] }]);
  });

  for (const network of NETWORKS.filter((name) => name !== "regtest"))
    it(`does nothing on ${network}`, async () => {
      const { invoice } = await buildInvoice(ctx);
      const elsewhere = { ...ctx, settings: { ...ctx.settings, network } };
      const { message } = await failureOf(expireTestInvoice(elsewhere, invoice.id), Error);
      expect(message).to.include("on regtest only");
      expect((await read(invoice.id)).expiresAt).to.deep.equal(invoice.expiresAt);
    });
});
