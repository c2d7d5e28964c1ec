import { expect } from "chai";
import { attemptWebhook } from "../../../commands/webhooks/attempt-webhook";
import { nativeId } from "../../../domain/greenfield/id-text";
import { buildInvoice } from "../../support/factories";
import { startReceiver, type Receiver } from "../../support/receiver";
import { shopEventOf } from "../../support/shop-webhook";
import { Store } from "../../../entities/store";
import { startApi, type TestApi, type TestStore } from "../server";
import { plugin, type PluginRequest } from "./plugin";

/** Bitcoin Donation's own route: `/status/(?P<invoice_id>[a-zA-Z0-9]+)`. */
const BY_DONATION = /^[a-zA-Z0-9]+$/;

describe("API of shop plugins: ids", () => {
  let api: TestApi;
  let shop: TestStore;
  let receiver: Receiver;
  before(async () => {
    api = await startApi();
    receiver = await startReceiver();
    shop = await api.store();
  });
  after(async () => {
    await api.stop();
    await receiver.close();
  });

  const call = async (method: string, path: string, options: PluginRequest = {}) => {
    const answer = await plugin(api.base, method, `/stores/${shop.storeId}${path}`, {
      key: shop.apiKey,
      ...options,
    });
    expect(answer.status, answer.text).to.equal(200);
    return answer;
  };
  const natively = async (path: string) => {
    const { status, json, text } = await api.call("GET", `/stores/${shop.storeId}${path}`, {
      key: shop.apiKey,
    });
    expect(status, text).to.equal(200);
    return json;
  };
  const register = async () =>
    (await call("POST", "/webhooks", { body: { url: `${receiver.url}/shop` } })).json.id;
  /** As a donation page orders it, with the way back that Magento asks for. */
  const order = async () =>
    (
      await call("POST", "/invoices", {
        body: {
          amount: "12.50",
          currency: "EUR",
          metadata: { orderId: "1001" },
          checkout: { redirectURL: "https://shop.example/back?invoiceId={InvoiceId}" },
        },
      })
    ).json;
  /** What the shop is sent first about an invoice. */
  async function told(id: string) {
    const { data } = await natively(`/webhooks/${webhookId}/deliveries?invoiceId=${id}`);
    const { deliveryId } = data.at(-1) ?? data[0]; // the newest is first
    await attemptWebhook(api.ctx, { deliveryId });
    const request = receiver.at("/shop").at(-1);
    if (request === undefined) throw new Error("nothing was sent");
    return { deliveryId, event: shopEventOf(request) as unknown as Record<string, unknown> };
  }
  let webhookId: string;
  beforeEach(async () => void (webhookId = await register()));

  it("of an invoice, its link, the way back and webhooks are letters and digits, as the plugins' own routes take them", async () => {
    const { id, checkoutLink } = await order();
    expect(id).to.match(BY_DONATION);
    expect(checkoutLink).to.match(new RegExp(`/i/${id}$`));
    expect(webhookId).to.match(BY_DONATION);
    const page = await fetch(`${api.base}/i/${id}`);
    expect(page.status).to.equal(200);
    await call("POST", `/invoices/${id}/status`, { body: { status: "Settled" } });
    expect(await (await fetch(`${api.base}/i/${id}`)).text()).to.contain(
      `https://shop.example/back?invoiceId=${id}`,
    );
    const { deliveryId, event } = await told(id);
    expect(event).to.include({
      type: "InvoiceCreated",
      invoiceId: id,
      webhookId,
      deliveryId: deliveryId.replace("_", ""),
      originalDeliveryId: deliveryId.replace("_", ""),
    });
  });

  it("are accepted in both spellings, by both dialects, the checkout, the search and the deliveries", async () => {
    const { id } = await order();
    const native = nativeId(id);
    expect(native).to.equal(id.replace("inv", "inv_"));
    for (const spelled of [id, native]) {
      expect((await call("GET", `/invoices/${spelled}`)).json.id).to.equal(id);
      expect((await call("GET", `/invoices/${spelled}/payment-methods`)).list).to.have.length(1);
      expect((await call("GET", `/invoices?textSearch=${spelled}`)).list.map((one) => one.id)).to.deep.equal([
        id,
      ]);
      expect((await natively(`/invoices/${spelled}`)).invoiceId).to.equal(native);
      for (const query of ["q", "search"]) {
        const { data } = await natively(`/invoices?${query}=${spelled}`);
        expect(data.map((one) => one.invoiceId)).to.deep.equal([native]);
      }
      expect((await natively(`/webhooks/${webhookId}/deliveries?invoiceId=${spelled}`)).data).to.have.length(
        1,
      );
      for (const page of ["", "/state", "/stream"]) {
        const answer = await fetch(`${api.base}/i/${spelled}${page}`);
        expect(answer.status, page).to.equal(200);
        await answer.body?.cancel();
      }
    }
    const hook = webhookId.replace("wh", "wh_");
    for (const spelled of [webhookId, hook])
      expect((await call("GET", `/webhooks/${spelled}`)).json.id).to.equal(webhookId);
    expect((await natively(`/webhooks/${webhookId}`)).webhookId).to.equal(hook);
  });

  it("that shops stored with their underscore, before there was this rule, stay as they know them", async () => {
    const store = await api.db.manager.findOneByOrFail(Store, { id: shop.storeId });
    const { newId } = api.ctx;
    const before = { ...api.ctx, newId: (prefix: string) => newId(prefix).slice(0, prefix.length + 25) };
    const { id } = (await buildInvoice(before, { store })).invoice;
    expect(id).to.match(/^inv_\w{24}$/);
    expect((await call("GET", `/invoices/${id}`)).json.id).to.equal(id);
    expect((await told(id)).event).to.include({ invoiceId: id });
    expect((await call("GET", `/invoices/${id.replace("_", "")}`)).json.id).to.equal(id);
  });
});
