import { expect } from "chai";
import { decideInvoice } from "../../../commands/invoices/sync-lightning-invoices";
import { switchLightningOn } from "../../../commands/lightning/switch-lightning";
import { nativeId } from "../../../domain/greenfield/id-text";
import { Alert } from "../../../entities/alert";
import { PaymentMethodSync } from "../../../entities/payment-method-sync";
import { LightningBench, markNode } from "../../support/lightning";
import { startApi, type TestApi, type TestStore } from "../server";
import { plugin, type PluginAnswer, type PluginRequest } from "./plugin";

// The requests of each plugin, and what it does with the answers, as its source has them (docs/shop-dialect.md).

const FOUR = [
  "btcpay.store.canviewinvoices",
  "btcpay.store.cancreateinvoice",
  "btcpay.store.canviewstoresettings",
  "btcpay.store.canmodifyinvoices",
];
const WEBHOOKS = "btcpay.store.webhooks.canmodifywebhooks";

describe("API of shop plugins: the plugins' own requests", () => {
  let bench: LightningBench;
  let api: TestApi;
  let shop: TestStore;
  before(async () => {
    bench = await LightningBench.start();
    api = await startApi({ db: bench.ctx.db, parts: { context: () => bench.ctx } });
  });
  beforeEach(async () => {
    shop = await api.store();
    await switchLightningOn(bench.ctx, shop.storeId);
    const now = await bench.ctx.now(bench.ctx.db.manager);
    const checked = { synchronized: true, checkedAt: now, caughtUpTo: now };
    await bench.ctx.db.manager.save(PaymentMethodSync, { type: "BTC-CHAIN", ...checked });
    await markNode(bench.ctx, checked);
  });
  after(async () => {
    bench.lightning.close();
    await bench.node.stop();
    await api.stop();
  });

  const answerTo = async (
    method: string,
    path: string,
    options: PluginRequest = {},
  ): Promise<PluginAnswer> => {
    const answer = await plugin(api.base, method, path.replace("{s}", shop.storeId), {
      key: shop.apiKey,
      ...options,
    });
    expect(answer.status, answer.text).to.equal(200);
    return answer;
  };
  const call = async (...request: Parameters<typeof answerTo>) => (await answerTo(...request)).json;
  const listOf = async (path: string) => (await answerTo("GET", path)).list;
  const destinationsTold = (id: string) =>
    bench.ctx.db.query<object[]>(
      `SELECT dialect_type AS type, dialect_fields -> 'payment' ->> 'destination' AS destination
         FROM webhook_deliveries WHERE invoice_id = $1 AND dialect_fields ? 'payment' ORDER BY part`,
      [nativeId(id)],
    );
  const alerts = () =>
    bench.ctx.db.manager.find(Alert, {
      select: { invoiceId: true, severity: true },
      where: { storeId: shop.storeId, kind: "destination-not-authentic" },
    });
  const permissionsOf = async (key?: string): Promise<string[]> =>
    (await call("GET", "/api-keys/current", key === undefined ? {} : { key })).permissions;

  /** GreenfieldApiAuthorization::hasRequiredPermissions and hasSingleStore. */
  function acceptedByWooCommerce(permissions: readonly string[]): boolean {
    const optional = ["btcpay.store.cancreatenonapprovedpullpayments", WEBHOOKS];
    const stores = new Set(permissions.map((permission) => permission.split(":")[1]));
    const names = permissions.map((permission) => permission.split(":")[0] ?? "");
    const required = names.filter((name) => !optional.includes(name));
    return (
      stores.size === 1 &&
      !stores.has(undefined) &&
      required.length === FOUR.length &&
      required.every((name) => FOUR.includes(name))
    );
  }
  /** Helper\Data::hasValidPermissions: the sorted lists are identical. */
  function acceptedByMagento(permissions: readonly string[]): boolean {
    const wanted = [...FOUR, WEBHOOKS].map((name) => `${name}:${shop.storeId}`).toSorted();
    return JSON.stringify(permissions.toSorted()) === JSON.stringify(wanted);
  }

  it("the permissions of a pasted key are accepted by WooCommerce (equal set) and Magento (identical list)", async () => {
    const permissions = await permissionsOf();
    expect([acceptedByWooCommerce(permissions), acceptedByMagento(permissions)]).to.deep.equal([true, true]);
    expect(permissions[0]?.split(":")[1]).to.equal(shop.storeId);
  });

  it("WooCommerce with separate gateways: its underscores, its check of the methods, its mark of a cancelled order", async () => {
    const info = await call("GET", "/server/info");
    expect(Number(info["fullySynched"])).to.equal(1);
    const methods = await listOf("/stores/{s}/payment-methods");
    const gateways = methods.map(({ paymentMethodId }) => paymentMethodId.replaceAll("-", "_"));
    expect(gateways).to.deep.equal(["BTC_CHAIN", "BTC_LN"]);
    for (const asked of [["BTC_CHAIN"], ["BTC_LN"], ["BTC_LN", "BTC_CHAIN"]]) {
      const { id } = await call("POST", "/stores/{s}/invoices", {
        body: {
          amount: "12.5",
          currency: "EUR",
          metadata: {
            orderId: "1001",
            posData: JSON.stringify({ WooCommerce: { "Order ID": 1001 } }),
            buyerName: "Ada",
            taxIncluded: 0,
          },
          checkout: {
            speedPolicy: null,
            paymentMethods: asked,
            expirationMinutes: null,
            monitoringMinutes: null,
            paymentTolerance: null,
            redirectURL: "https://shop.example/checkout/order-received/1001/?key=wc_order_x",
            redirectAutomatically: true,
            defaultLanguage: null,
          },
        },
      });
      const read = await call("GET", `/stores/{s}/invoices/${id}`);
      const again = read.checkout.paymentMethods.map((method) => method.replaceAll("-", "_"));
      expect(again.toSorted()).to.deep.equal(asked.toSorted());
      const marked = await call("POST", `/stores/{s}/invoices/${id}/status`, { body: { status: "Invalid" } });
      expect(marked).to.include({ status: "Invalid", additionalStatus: "Marked" });
    }
  });

  it("Magento: eight decimals, a placeholder in the redirect, all invoices of an order, order id compared as a text", async () => {
    const orderId = "000000123";
    const created = await call("POST", "/stores/{s}/invoices", {
      body: {
        amount: "166.00000000",
        currency: "USD",
        metadata: { orderId, buyerAddress2: null, physical: true, itemDesc: "" },
        checkout: { redirectURL: "https://shop.example/btcpay/redirect/?invoiceId={InvoiceId}" },
      },
    });
    expect(created.amount).to.equal("166.00");
    const listed = await listOf(`/stores/{s}/invoices?orderId=${orderId}`);
    expect(listed.map(({ id }) => id)).to.deep.equal([created.id]);
    expect(listed[0].metadata.orderId).to.equal(orderId);
    expect(listed[0].metadata).to.deep.equal({ orderId, buyerAddress2: null, physical: true, itemDesc: "" });
    const methods = await listOf(`/stores/{s}/invoices/${created.id}/payment-methods`);
    const currencies = methods.map(({ paymentMethodId }) => paymentMethodId.split("-")[0]);
    expect(new Set(currencies)).to.deep.equal(new Set(["BTC"]));
    expect(
      new Set(
        methods.map(({ amount, ...sums }) => `${String(sums["totalPaid"])} ${String(sums["due"])} ${amount}`),
      ),
    ).to.have.property("size", 1);
  });

  it("PrestaShop: its secret in the metadata comes back, and the payment by Lightning is in the list of payments", async () => {
    const posData = { orderId: "cart-7", secret: "a1b2c3" };
    const store = await call("GET", "/stores/{s}");
    expect(store["name"]).to.be.a("string");
    await call("POST", "/stores/{s}/webhooks", { body: { url: "http://127.0.0.1:1/webhook" } });
    const { id } = await call("POST", "/stores/{s}/invoices", {
      body: {
        amount: "25000",
        currency: "SATS",
        metadata: { orderId: "7", posData },
        checkout: { redirectURL: "http://localhost/module/btcpay/validation", expirationMinutes: 15 },
      },
    });
    expect((await call("GET", `/stores/{s}/invoices/${id}`)).metadata.posData).to.deep.equal(posData);
    const unpaid = await listOf(`/stores/{s}/invoices/${id}/payment-methods`);
    const lightning = unpaid[1] ?? unpaid[0];
    expect(lightning.paymentMethodId).to.equal("BTC-LN");
    expect(lightning["paymentLink"]).to.equal(`lightning:${lightning.destination}`);
    await bench.node.pay(lightning.destination);
    await decideInvoice(bench.ctx, nativeId(id));
    const paid = await call("GET", `/stores/{s}/invoices/${id}`);
    expect(paid).to.include({ status: "Settled", additionalStatus: "None", paidAmount: "25000" });
    const [chain, ln] = await listOf(`/stores/{s}/invoices/${id}/payment-methods`);
    expect(chain).to.include({ paymentMethodPaid: "0.00000000", totalPaid: "0.00025000", due: "0.00000000" });
    expect(ln).to.include({ paymentMethodPaid: "0.00025000", totalPaid: "0.00025000" });
    // What was paid stays readable, and nobody is led to pay it again.
    expect(ln).to.include({ activated: true, destination: lightning.destination, paymentLink: "" });
    expect(ln?.payments).to.have.length(1);
    expect(ln?.payments[0]).to.include({ value: "0.00025000", fee: "0.00000000", status: "Settled" });
    expect(ln?.payments[0]).to.include({ destination: lightning.destination });
    expect(ln?.payments[0].id).to.match(/^[0-9a-f]{64}$/);
    expect(await destinationsTold(id)).to.deep.equal([
      { type: "InvoiceReceivedPayment", destination: lightning.destination },
      { type: "InvoicePaymentSettled", destination: lightning.destination },
    ]);
    // One that somebody else wrote into the database is not shown.
    await bench.ctx.db.query("UPDATE bolt11s SET bolt11 = 'lnbcrt1evil' WHERE invoice_id = $1", [
      nativeId(id),
    ]);
    const [, changed] = await listOf(`/stores/{s}/invoices/${id}/payment-methods`);
    expect(changed).to.include({ activated: false, destination: "" });
    expect(await alerts()).to.deep.equal([{ invoiceId: nativeId(id), severity: "critical" }]);
  });

  it("an event that is written after somebody else changed the BOLT11 does not name it, and an alert says so", async () => {
    await call("POST", "/stores/{s}/webhooks", { body: { url: "http://127.0.0.1:1/webhook" } });
    const { id } = await call("POST", "/stores/{s}/invoices", {
      body: { amount: "25000", currency: "SATS" },
    });
    const methods = await listOf(`/stores/{s}/invoices/${id}/payment-methods`);
    await bench.node.pay(
      methods.find(({ paymentMethodId }) => paymentMethodId === "BTC-LN")?.destination ?? "",
    );
    await bench.ctx.db.query("UPDATE bolt11s SET bolt11 = 'lnbcrt1evil' WHERE invoice_id = $1", [
      nativeId(id),
    ]);
    await decideInvoice(bench.ctx, nativeId(id));
    expect(await destinationsTold(id)).to.deep.equal([
      { type: "InvoiceReceivedPayment", destination: "" },
      { type: "InvoicePaymentSettled", destination: "" },
    ]);
    expect(await alerts()).to.deep.equal([{ invoiceId: nativeId(id), severity: "critical" }]);
  });

  it("Shopware: a number as amount, BTCPay's old names of the methods, a list to verify the connection", async () => {
    expect(await listOf("/stores/{s}/invoices")).to.deep.equal([]);
    const created = await call("POST", "/stores/{s}/invoices", {
      headers: { authorization: `token ${shop.apiKey}`, "content-type": "application/json" },
      body: '{"amount":119.9,"currency":"EUR","metadata":{"orderId":"10001","orderNumber":"10001","transactionId":"018f"},"checkout":{"redirectURL":"https:\\/\\/shop.example\\/payment\\/finalize-transaction?_sw_payment_token=ey.J0","redirectAutomatically":true,"paymentMethods":["BTC","BTC-LightningNetwork","BTC-LNURLPAY"],"defaultLanguage":"de-DE"}}',
    });
    expect(created.amount).to.equal("119.90");
    expect(created.checkout.paymentMethods).to.deep.equal(["BTC-CHAIN", "BTC-LN"]);
  });

  it("Medusa: a currency in lower case, no metadata, what was read is put back with a field more, archiving answers JSON", async () => {
    const { id } = await call("POST", "/stores/{s}/invoices", {
      body: {
        amount: "30",
        currency: "usd",
        additionalSearchTerms: ["payses_01"],
        checkout: { speedPolicy: "HighSpeed" },
      },
    });
    const { metadata } = await call("GET", `/stores/{s}/invoices/${id}`);
    const put = await call("PUT", `/stores/{s}/invoices/${id}`, {
      body: { metadata: { ...metadata, medusa_payment_session_id: "payses_01" } },
    });
    expect(put.metadata).to.deep.equal({
      orderId: nativeId(id),
      medusa_payment_session_id: "payses_01",
    });
    const other = await call("PUT", `/stores/{s}/invoices/${id}`, { body: { metadata: { a: 1 } } });
    expect(other.metadata).to.deep.equal({ orderId: nativeId(id), a: 1 });
    expect((await call("DELETE", `/stores/{s}/invoices/${id}`))["archived"]).to.equal(true);
  });

  it("Zapier: trailing slashes, a number as amount, and it iterates the fields of a 422", async () => {
    expect(await listOf("/stores/")).to.have.length(1);
    const created = await call("POST", "/stores/{s}/invoices/", { body: { amount: 12.1, currency: "USD" } });
    expect(created.amount).to.equal("12.10");
    const found = await listOf(`/stores/{s}/invoices?textSearch=${created.id}`);
    expect(found.map(({ id }) => id)).to.deep.equal([created.id]);
    const answer = await plugin(api.base, "POST", `/stores/${shop.storeId}/invoices/`, {
      key: shop.apiKey,
      body: { currency: "USD" },
    });
    expect([answer.status, answer.list[0].path]).to.deep.equal([422, "amount"]);
  });

  it("methods that the invoice did not get are answered as they were asked for: a price below the dust limit", async () => {
    const paymentMethods = ["BTC_CHAIN", "BTC_LN"];
    const { id, checkout } = await call("POST", "/stores/{s}/invoices", {
      body: { amount: "100", currency: "SATS", checkout: { paymentMethods } },
    });
    expect(checkout.paymentMethods).to.deep.equal(["BTC-CHAIN", "BTC-LN"]);
    const [only, ...rest] = await listOf(`/stores/{s}/invoices/${id}/payment-methods`);
    expect([only.paymentMethodId, rest]).to.deep.equal(["BTC-LN", []]);
  });
});
