import { InvoicesService, OpenAPI, ServerInfoService, StoresService } from "btcpay-greenfield-node-client";
import { expect } from "chai";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { buildPayment } from "../../support/factories";
import { nativeId } from "../../../domain/greenfield/id-text";
import { startApi, type TestApi, type TestStore } from "../server";

describe("API of shop plugins: the published Node client", () => {
  const settings = { ...OpenAPI };
  let api: TestApi;
  let shop: TestStore;
  before(async () => {
    api = await startApi();
    shop = await api.store();
    Object.assign(OpenAPI, { BASE: api.base, TOKEN: shop.apiKey });
  });
  after(async () => {
    Object.assign(OpenAPI, settings);
    await api.stop();
  });

  it("creates, reads, lists, pays, marks, changes and archives an invoice", async () => {
    const { storeId } = shop;
    const info = await ServerInfoService.serverInfoGetServerInfo();
    expect(info.version).to.equal("2.0.0");
    expect((await StoresService.storesGetStore({ storeId })).id).to.equal(storeId);
    const created = await InvoicesService.invoicesCreateInvoice({
      storeId,
      requestBody: {
        amount: "100000",
        currency: "SATS",
        metadata: { orderId: "1001" },
        checkout: { paymentMethods: ["BTC"], redirectURL: "https://shop.example/thanks" },
      },
    });
    const invoiceId = String(created.id);
    expect(created.status).to.equal("New");
    await buildPayment(api.ctx, nativeId(invoiceId), { state: "confirmed" });
    await changeInvoice(api.ctx, nativeId(invoiceId));
    const read = await InvoicesService.invoicesGetInvoice({ storeId, invoiceId });
    expect([read.status, read.additionalStatus]).to.deep.equal(["Settled", "None"]);
    const [method] = await InvoicesService.invoicesGetInvoicePaymentMethods({ storeId, invoiceId });
    expect(method?.payments?.map(({ value }) => value)).to.deep.equal(["0.00100000"]);
    const listed = await InvoicesService.invoicesGetInvoices({ storeId });
    expect(listed.map(({ id }) => id)).to.deep.equal([invoiceId]);
    const changed = await InvoicesService.invoicesUpdateInvoice({
      storeId,
      invoiceId,
      requestBody: { metadata: { parcel: "JD0002" } },
    });
    expect(changed.metadata).to.deep.equal({ orderId: "1001", parcel: "JD0002" });
    const marked = await InvoicesService.invoicesMarkInvoiceStatus({
      storeId,
      invoiceId,
      requestBody: { status: "Invalid" as never },
    });
    expect(marked.additionalStatus).to.equal("Marked");
    expect(await InvoicesService.invoicesArchiveInvoice({ storeId, invoiceId })).to.include({
      archived: true,
    });
  });

  it("rejects with the status of a refusal", async () => {
    const refused = await InvoicesService.invoicesGetInvoice({
      storeId: shop.storeId,
      invoiceId: "inv_unknown",
    }).catch((error: unknown) => error);
    expect(refused).to.include({ status: 404 });
  });
});
