import { expect } from "chai";
import { listQuery } from "../../../api/greenfield/invoice-request";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { changeStore } from "../../../commands/stores/change-store";
import { createApiKey } from "../../../commands/stores/api-key";
import { buildPayment } from "../../support/factories";
import { lookedAtChain } from "../../support/looked-at-chain";
import { nativeId } from "../../../domain/greenfield/id-text";
import { startApi, type TestApi, type TestStore } from "../server";
import { plugin, type PluginAnswer, type PluginJson, type PluginRequest } from "./plugin";

describe("API of shop plugins: invoices", () => {
  let api: TestApi;
  let shop: TestStore;
  before(async () => (api = await startApi()));
  beforeEach(async () => (shop = await api.store()));
  after(() => api.stop());

  const call = (method: string, rest: string, options: PluginRequest = {}) =>
    plugin(api.base, method, `/stores/${shop.storeId}${rest}`, { key: shop.apiKey, ...options });
  const post = (body: unknown) => call("POST", "/invoices", { body });
  const create = async (body: object = {}): Promise<PluginJson> => {
    const answer = await post({ amount: "12.50", currency: "EUR", ...body });
    expect(answer.status, answer.text).to.equal(200);
    return answer.json;
  };
  const refusedAt = async (answer: PluginAnswer | Promise<PluginAnswer>): Promise<unknown> => {
    const { status, list, text } = await answer;
    expect(status, text).to.equal(422);
    return list.map(({ path }) => path);
  };
  const pay = async (id: string, overrides: Parameters<typeof buildPayment>[2]) => {
    const payment = await buildPayment(api.ctx, nativeId(id), overrides);
    await changeInvoice(api.ctx, nativeId(id));
    return payment;
  };

  async function expiredInvoice(): Promise<string> {
    const { id } = await create({ amount: "100000", currency: "SATS" });
    api.ctx.clock.advance(901_000);
    await lookedAtChain(api.ctx);
    await changeInvoice(api.ctx, nativeId(id));
    return id;
  }
  async function lateInvoice(): Promise<PluginJson> {
    const id = await expiredInvoice();
    await pay(id, { state: "confirmed" });
    return (await call("GET", `/invoices/${id}`)).json;
  }

  describe("POST", () => {
    it("reads names of fields in any case, as Coinsnap's plugin sends redirectUrl, and keeps those of metadata", async () => {
      const text = `{"Amount":12.50,"CURRENCY":"EUR","MetaData":{"orderId":"7","PosData":1},
        "checkout":{"redirectUrl":"https://shop.example/thanks","SpeedPolicy":"LowSpeed","redirectAutomatically":true}}`;
      const { json } = await post(text);
      expect([json.amount, json["currency"]]).to.deep.equal(["12.50", "EUR"]);
      expect(json.metadata).to.deep.equal({ orderId: "7", PosData: 1 });
      expect(json.checkout).to.include({
        redirectURL: "https://shop.example/thanks",
        speedPolicy: "LowSpeed",
        redirectAutomatically: true,
      });
    });

    it("creates an invoice and answers it with status 200", async () => {
      const invoice = await create({ metadata: { orderId: "1001", posData: "{}" } });
      expect(invoice).to.deep.equal({
        id: invoice.id,
        storeId: shop.storeId,
        type: "Standard",
        status: "New",
        additionalStatus: "None",
        amount: "12.50",
        paidAmount: "0.00",
        currency: "EUR",
        checkoutLink: `${api.ctx.settings.publicUrl}/i/${invoice.id}`,
        createdTime: invoice.createdTime,
        expirationTime: invoice.createdTime + 900,
        monitoringExpiration: invoice.createdTime + 900 + 86_400,
        archived: false,
        availableStatusesForManualMarking: ["Settled", "Invalid"],
        metadata: { orderId: "1001", posData: "{}" },
        checkout: {
          speedPolicy: "MediumSpeed",
          paymentMethods: ["BTC-CHAIN"],
          defaultPaymentMethod: null,
          expirationMinutes: 15,
          monitoringMinutes: 1440,
          paymentTolerance: 0,
          redirectURL: null,
          redirectAutomatically: false,
          defaultLanguage: null,
          lazyPaymentMethods: false,
        },
        receipt: { enabled: false, showQR: null, showPayments: null },
      });
      const { json } = await call("GET", `/invoices/${invoice.id}`);
      expect(json).to.deep.equal(invoice);
    });

    it("refuses an amount that is missing, null, zero, negative or no number, at `amount`", async () => {
      for (const amount of [undefined, null, "0", 0, "0.001", "-1", -1, "ten", "1,5", "", true, {}])
        expect(await refusedAt(post({ amount, currency: "EUR" })), JSON.stringify(amount)).to.deep.equal([
          "amount",
        ]);
    });

    it("says of an amount whether it is missing or wrong", async () => {
      const wordsFor = async (amount: string) => {
        const { status, list } = await post(`{"currency":"EUR"${amount}}`);
        expect(status).to.equal(422);
        expect(list).to.have.length(1);
        return list[0]["message"];
      };
      for (const missing of ["", `,"amount":null`]) expect(await wordsFor(missing)).to.match(/^Required: /);
      for (const wrong of ["[1]", "true", "1e400", '"ten"'])
        expect(await wordsFor(`,"amount":${wrong}`), wrong).to.match(/^Must be a number or a decimal string/);
      for (const large of ["1e99", '"1e30"'])
        expect(await wordsFor(`,"amount":${large}`), large).not.to.include("exponent");
    });

    it("takes PHP's empty list for no checkout, an empty speed policy and a computed tolerance", async () => {
      expect((await create({ checkout: [] })).checkout.speedPolicy).to.equal("MediumSpeed");
      expect((await create({ checkout: { speedPolicy: "" } })).checkout.speedPolicy).to.equal("MediumSpeed");
      for (const [sent, kept] of [
        [0.1 + 0.2, 0.3],
        ["0.30000000000000004", 0.3],
        [1e-7, 0],
        [1.23456, 1.2346],
      ] as const) {
        const { checkout } = await create({ checkout: { paymentTolerance: sent } });
        expect(checkout["paymentTolerance"], String(sent)).to.equal(kept);
      }
      for (const paymentTolerance of [-0.00001, 99.99999, "-1"])
        expect(await refusedAt(post({ amount: 1, checkout: { paymentTolerance } }))).to.deep.equal([
          "checkout.paymentTolerance",
        ]);
      expect(await refusedAt(post({ amount: 1, checkout: { expirationMinutes: 1e300 } }))).to.deep.equal([
        "checkout.expirationMinutes",
      ]);
    });

    it("refuses an unknown currency at `currency`, and takes the store's for none", async () => {
      expect(await refusedAt(post({ amount: 1, currency: "EURO" }))).to.deep.equal(["currency"]);
      await changeStore(api.ctx, shop.storeId, { defaultCurrency: "EUR" });
      for (const currency of [undefined, null]) {
        const { json } = await post({ amount: "1.00000000", currency });
        expect([json.amount, json["currency"]]).to.deep.equal(["1.00", "EUR"]);
      }
    });

    it("accepts unknown fields, and null as absent", async () => {
      const checkout = {
        speedPolicy: null,
        paymentMethods: null,
        expirationMinutes: null,
        monitoringMinutes: null,
        paymentTolerance: null,
        redirectURL: null,
        redirectAutomatically: null,
        defaultLanguage: null,
        lazyPaymentMethods: null,
        requiresRefundEmail: false,
      };
      const more = {
        metadata: null,
        checkout,
        additionalSearchTerms: ["a"],
        receipt: null,
        type: "Standard",
      };
      const invoice = await create(more);
      expect(invoice.checkout["expirationMinutes"]).to.equal(15);
      expect((await create({ checkout: null })).checkout.speedPolicy).to.equal("MediumSpeed");
    });

    it("keeps metadata as they were sent: nulls, booleans, numbers, JSON as text", async () => {
      const metadata =
        '{"orderId":"1001","n":null,"b":false,"big":12345678901234567890,"posData":"{\\"a\\":1}","10":1}';
      const { json } = await post(`{"amount":"1","currency":"EUR","metadata":${metadata}}`);
      const { text } = await call("GET", `/invoices/${json.id}`);
      expect(text).to.include(`"metadata":${metadata}`);
    });

    it("makes a number as order id a text, also in the list", async () => {
      const { json } = await post('{"amount":"1","currency":"EUR","metadata":{"orderId":1001}}');
      expect(json.metadata).to.deep.equal({ orderId: "1001" });
      const listed = await call("GET", "/invoices?orderId=1001");
      expect(listed.list.map(({ id }) => id)).to.deep.equal([json.id]);
    });

    it("refuses an order id that is too long or no text, at `metadata.orderId`", async () => {
      for (const orderId of ["x".repeat(201), true, {}, []])
        expect(await refusedAt(post({ amount: 1, metadata: { orderId } }))).to.deep.equal([
          "metadata.orderId",
        ]);
      const digits = `{"amount":1,"metadata":{"orderId":${"1".repeat(201)}}}`;
      expect(await refusedAt(post(digits))).to.deep.equal(["metadata.orderId"]);
    });

    it("takes no order id, null, and PHP's empty list for no metadata", async () => {
      for (const metadata of [undefined, null, {}, [], { orderId: null }]) {
        const invoice = await create({ metadata });
        expect(invoice.metadata).to.deep.equal({ orderId: nativeId(invoice.id) });
      }
    });

    it("refuses metadata that are no object or too large, at `metadata`", async () => {
      for (const metadata of ["text", [1], { text: "x".repeat(33 * 1024) }])
        expect(await refusedAt(post({ amount: 1, metadata }))).to.deep.equal(["metadata"]);
    });

    it("HighSpeed is one confirmation in a store without zero confirmations, and none with them", async () => {
      const fast = { checkout: { speedPolicy: "HighSpeed" } };
      expect((await create(fast)).checkout.speedPolicy).to.equal("MediumSpeed");
      await changeStore(api.ctx, shop.storeId, { zeroConfMaxSats: 1_000_000n });
      expect((await create(fast)).checkout.speedPolicy).to.equal("HighSpeed");
    });

    it("takes the other terms of the checkout, and says them again", async () => {
      const { checkout } = await create({
        checkout: {
          expirationMinutes: 30,
          monitoringMinutes: 60,
          paymentTolerance: 1.5,
          redirectURL: "https://shop.example/thanks?i={InvoiceId}&o={OrderId}",
          redirectAutomatically: true,
          defaultLanguage: "de-DE",
        },
      });
      expect(checkout).to.include({
        expirationMinutes: 30,
        monitoringMinutes: 60,
        paymentTolerance: 1.5,
        redirectURL: "https://shop.example/thanks?i={InvoiceId}&o={OrderId}",
        redirectAutomatically: true,
        defaultLanguage: "de-DE",
      });
    });

    it("ignores a language that the checkout has not, and an empty redirect", async () => {
      for (const defaultLanguage of ["tlh", "not a language", ""])
        expect((await create({ checkout: { defaultLanguage } })).checkout["defaultLanguage"]).to.equal(null);
      expect((await create({ checkout: { redirectURL: "" } })).checkout["redirectURL"]).to.equal(null);
    });

    it("refuses terms out of bounds at their own paths", async () => {
      const checkout = {
        expirationMinutes: 0,
        monitoringMinutes: 525_601,
        paymentTolerance: 100,
        redirectURL: "javascript:alert(1)",
        redirectAutomatically: "yes",
        paymentMethods: "BTC",
      };
      expect(await refusedAt(post({ amount: 1, checkout }))).to.have.members(
        Object.keys(checkout).map((name) => `checkout.${name}`),
      );
    });

    it("answers exactly the payment methods that were asked for, in whatever spelling", async () => {
      for (const [asked, answered] of [
        [["BTC_CHAIN"], ["BTC-CHAIN"]],
        [
          ["BTC_CHAIN", "BTC_LN"],
          ["BTC-CHAIN", "BTC-LN"],
        ], // the store has no Lightning
        [
          ["BTC", "BTC-LightningNetwork", "BTC-LNURLPAY"],
          ["BTC-CHAIN", "BTC-LN"],
        ],
        [["XMR", "btc-onchain"], ["BTC-CHAIN"]],
        [[], ["BTC-CHAIN"]],
      ] as const) {
        const { id, checkout } = await create({ checkout: { paymentMethods: asked } });
        expect(checkout.paymentMethods).to.deep.equal(answered);
        expect((await call("GET", `/invoices/${id}`)).json.checkout.paymentMethods).to.deep.equal(answered);
      }
    });

    it("refuses payment methods of which none is known or enabled, at `checkout.paymentMethods`", async () => {
      for (const paymentMethods of [["XMR"], ["BTC-LNURLPAY"], ["BTC-LN"]])
        expect(await refusedAt(post({ amount: 1, checkout: { paymentMethods } }))).to.deep.equal([
          "checkout.paymentMethods",
        ]);
    });

    it("without a rate is refused with 503 rate-unavailable, and Retry-After", async () => {
      const { status, json } = await post({ amount: "1", currency: "CHF" });
      expect([status, json.code]).to.deep.equal([503, "rate-unavailable"]);
    });

    it("a broken body, a wrong type and a large body are refused with 400 generic-error", async () => {
      for (const answer of [
        await post("{"),
        await post('{"amount":1,"amount":2}'),
        await call("POST", "/invoices", { body: "a=1", headers: { "content-type": "text/plain" } }),
        await post(`{"x":"${"x".repeat(300_000)}"}`),
      ])
        expect([answer.status, answer.json.code]).to.deep.equal([400, "generic-error"]);
    });
  });

  describe("GET", () => {
    it("by its id alone is the same, and so are its payment methods", async () => {
      const { id } = await create();
      const key = shop.apiKey;
      for (const rest of ["", "/payment-methods"]) {
        const short = await plugin(api.base, "GET", `/invoices/${id}${rest}`, { key });
        expect(short.text).to.equal((await call("GET", `/invoices/${id}${rest}`)).text);
      }
    });

    it("an invoice of another store, an unknown and an impossible id are 404, not 403", async () => {
      const { id } = await create();
      const other = await api.store();
      for (const path of [`/invoices/${id}`, "/invoices/inv_unknown", "/invoices/a%2Fb"])
        for (const rest of ["", "/payment-methods"]) {
          const own = await plugin(api.base, "GET", `/stores/${other.storeId}${path}${rest}`, {
            key: other.apiKey,
          });
          expect([own.status, own.json.code], path).to.deep.equal([404, "invoice-not-found"]);
          const short = await plugin(api.base, "GET", `${path}${rest}`, { key: other.apiKey });
          expect([short.status, short.json.code], path).to.deep.equal([404, "invoice-not-found"]);
        }
    });

    it("shows a part payment, a late payment and a mark in the dialect's words", async () => {
      const { id } = await create({ amount: "100000", currency: "SATS" });
      await pay(id, { amountSats: 40_000n });
      const { json: part } = await call("GET", `/invoices/${id}`);
      expect(part).to.include({ status: "New", additionalStatus: "PaidPartial", paidAmount: "40000" });
      await pay(id, { amountSats: 70_000n });
      const { json: over } = await call("GET", `/invoices/${id}`);
      expect(over).to.include({ status: "Processing", additionalStatus: "PaidOver", paidAmount: "110000" });

      const late = await lateInvoice();
      const { json } = await call("GET", `/invoices/${late.id}`);
      expect(json).to.include({ status: "Expired", additionalStatus: "PaidLate" });
    });

    it("payment methods: sums of the whole invoice, payments with transaction and output, numbers as text", async () => {
      const { id } = await create({ amount: "0.00100000", currency: "BTC" });
      const seen = await pay(id, { amountSats: 40_000n, vout: 3 });
      await pay(id, { amountSats: 10_000n, state: "replaced" });
      await pay(id, { amountSats: 200n, neverCounts: true });
      const settled = await pay(id, { amountSats: 10_000n, state: "confirmed" });
      const { list } = await call("GET", `/invoices/${id}/payment-methods?onlyAccountedPayments=false`);
      const [method] = list;
      const { destination } = method;
      expect({ ...method, payments: [] }).to.deep.equal({
        paymentMethodId: "BTC-CHAIN",
        currency: "BTC",
        activated: true,
        destination,
        paymentLink: `bitcoin:${destination}?amount=0.0005`,
        rate: "1",
        paymentMethodPaid: "0.00050000",
        totalPaid: "0.00050000",
        due: "0.00050000",
        amount: "0.00100000",
        paymentMethodFee: "0.00000000",
        payments: [],
        additionalData: {},
      });
      const shown = method.payments.map(({ value, status }) => `${value} ${status}`);
      expect(shown).to.have.members([
        "0.00040000 Processing",
        "0.00010000 Invalid",
        "0.00000200 Invalid",
        "0.00010000 Settled",
      ]);
      expect(method.payments).to.deep.include({
        id: `${seen.txid}-3`,
        receivedDate: Math.floor(seen.firstSeenAt.getTime() / 1_000),
        value: "0.00040000",
        fee: "0.00000000",
        status: "Processing",
        destination,
      });
      expect(method.payments.map(({ id: own }) => own)).to.include(`${settled.txid}-0`);
    });

    it("payment methods: the rate is the invoice's own, and of SATS the sats of one bitcoin", async () => {
      const euro = await create();
      const { json: native } = await api.call("GET", `/stores/${shop.storeId}/invoices/${euro.id}`, {
        key: shop.apiKey,
      });
      const { list } = await call("GET", `/invoices/${euro.id}/payment-methods`);
      expect(list[0]["rate"]).to.equal((native["rate"] as { value: string }).value);
      const sats = await create({ amount: "5000", currency: "SATS" });
      expect((await call("GET", `/invoices/${sats.id}/payment-methods`)).list[0]["rate"]).to.equal(
        "100000000",
      );
    });

    it("payment methods: a lazy address is an empty text, and not activated", async () => {
      await changeStore(api.ctx, shop.storeId, { lazyAddresses: true });
      const { id } = await create();
      const { list } = await call("GET", `/invoices/${id}/payment-methods`);
      expect(list[0]).to.include({ activated: false, destination: "", paymentLink: "" });
    });
  });

  describe("the list", () => {
    const listed = async (query: string): Promise<string[]> => {
      const { status, list, text } = await call("GET", `/invoices${query}`);
      expect(status, text).to.equal(200);
      return list.map(({ id }) => id);
    };

    it("is a bare array, newest first, without archived ones", async () => {
      const ids = [];
      for (let n = 0; n < 3; n += 1) ids.unshift((await create()).id);
      expect(await listed("")).to.deep.equal(ids);
      await call("DELETE", `/invoices/${ids[1]}`);
      expect(await listed("")).to.deep.equal([ids[0], ids[2]]);
      expect(await listed("?includeArchived=true")).to.deep.equal(ids);
      expect(await listed("?take=1&skip=1&includeArchived=True")).to.deep.equal([ids[1]]);
      expect(await listed("?includeArchived=1&take=1000")).to.deep.equal(ids);
      expect(await listed("?includeArchived=0")).to.deep.equal([ids[0], ids[2]]);
      expect(await listed("?skip=3")).to.deep.equal([]);
      expect(await listed("?take=1&skip=1&status=New&status=Processing")).to.deep.equal([ids[2]]);
    });

    it("filters by several order ids, as PHP writes lists or as others do", async () => {
      const of = async (orderId: string) => (await create({ metadata: { orderId } })).id;
      const [a, b] = [await of("A"), await of("B")];
      await of("C");
      for (const query of [
        "?orderId=A&orderId=B",
        "?orderId[]=A&orderId[]=B",
        "?orderId%5B0%5D=A&orderId%5B1%5D=B",
        "?orderId[a]=A&orderId[b]=B",
        "?orderId[a][0]=A&orderId[__proto__]=B",
        "?orderId=&orderId=A&orderId=B",
        "?OrderId=A&ORDERID[]=B",
      ])
        expect(await listed(query), query).to.deep.equal([b, a]);
      expect(await listed("?textSearch=A")).to.deep.equal([a]);
      expect(await listed("?textSearch[a]=A")).to.deep.equal([a]);
      expect(await listed("?status=&skip=&take=")).to.have.length(3);
    });

    it("of an empty order id or search is empty, also where an invoice has an empty order id", async () => {
      await create({ metadata: { orderId: "" } });
      for (const query of [
        "?orderId=",
        "?orderId[]=",
        "?orderId[a]=&orderId[b]=",
        "?textSearch=",
        "?orderId",
      ])
        expect(await listed(query), query).to.deep.equal([]);
      expect(await listed("")).to.have.length(1);
    });

    it("filters by status: a late payment is expired, and not settled", async () => {
      const settled = (await create({ amount: "100000", currency: "SATS" })).id;
      await pay(settled, { state: "confirmed" });
      const late = (await lateInvoice()).id;
      const expired = await expiredInvoice();
      const open = (await create()).id;
      expect(await listed("?status=Settled")).to.deep.equal([settled]);
      expect(await listed("?status=expired")).to.deep.equal([expired, late]);
      expect(await listed("?status=Expired&status=Settled")).to.deep.equal([expired, late, settled]);
      expect(await listed("?status[]=New&status[]=Settled")).to.deep.equal([open, settled]);
    });

    it("filters by Unix seconds, both ends included", async () => {
      const { id, createdTime } = await create();
      expect(await listed(`?startDate=${createdTime}&endDate=${createdTime}`)).to.deep.equal([id]);
      expect(await listed(`?startDate=${createdTime + 1}`)).to.deep.equal([]);
      expect(await listed(`?endDate=${createdTime - 1}`)).to.deep.equal([]);
    });

    it("refuses bounds and words that it does not know, at their names", async () => {
      const query = "?take=0&skip=10001&status=Paid&startDate=x&includeArchived=maybe";
      expect(await refusedAt(call("GET", `/invoices${query}`))).to.have.members([
        "take",
        "skip",
        "status.0",
        "startDate",
        "includeArchived",
      ]);
    });

    it("gives all that was asked for, also where a native page would end early", async () => {
      const metadata = { text: "x".repeat(32_000) };
      await Promise.all(Array.from({ length: 75 }, () => create({ metadata })));
      expect(await listed("?take=101")).to.have.length(75);
      expect(listQuery(0).parse({ take: "1000" }).take).to.equal(100);
      expect(new Set(await listed("?take=75"))).to.have.property("size", 75);
      expect(await listed("?take=75&skip=70")).to.have.length(5);
    });
  });

  describe("changes", () => {
    it("PUT replaces the metadata, keeps the order id that was left out, and takes the same one", async () => {
      const { id } = await create({ metadata: { orderId: "1001", a: 1 } });
      const put = (metadata: unknown) => call("PUT", `/invoices/${id}`, { body: { metadata } });
      expect((await put({ b: null })).json.metadata).to.deep.equal({ orderId: "1001", b: null });
      expect((await put({ c: 1, orderId: "1001" })).json.metadata).to.deep.equal({ c: 1, orderId: "1001" });
      expect((await put({ orderId: 1001 })).json.metadata).to.deep.equal({ orderId: "1001" });
      expect((await put(null)).json.metadata).to.deep.equal({ orderId: "1001" });
      expect(await refusedAt(put({ orderId: "1002" }))).to.deep.equal(["metadata.orderId"]);
      expect(await refusedAt(put({ text: "x".repeat(33 * 1024) }))).to.deep.equal(["metadata"]);
      const { json } = await call("GET", `/invoices/${id}`);
      expect(json.metadata).to.deep.equal({ orderId: "1001" });
    });

    it("PUT takes back the metadata as they are answered, also the largest", async () => {
      const text = "x".repeat(32 * 1024 - '{"text":""}'.length);
      const { id, metadata } = await create({ metadata: { text } });
      for (const sent of [metadata, { text }]) {
        const answer = await call("PUT", `/invoices/${id}`, { body: { metadata: sent } });
        expect(answer.status, answer.text.slice(0, 200)).to.equal(200);
        expect(answer.json.metadata).to.deep.equal({ orderId: nativeId(id), text });
      }
      const larger = { orderId: nativeId(id), text: `${text}x` };
      expect(await refusedAt(call("PUT", `/invoices/${id}`, { body: { metadata: larger } }))).to.deep.equal([
        "metadata",
      ]);
    });

    it("unarchive shows it again, again too, as btcpay-python-sdk asks", async () => {
      const { id } = await create();
      await call("DELETE", `/invoices/${id}`);
      for (let times = 0; times < 2; times += 1) {
        const { status, json } = await call("POST", `/invoices/${id}/unarchive`);
        expect([status, json["archived"]]).to.deep.equal([200, false]);
      }
    });

    it("a mark by hand is answered as the invoice, and the same one again is 422 at `status`", async () => {
      const { id } = await create();
      const mark = (status: unknown) => call("POST", `/invoices/${id}/status`, { body: { status } });
      expect((await mark("Invalid")).json).to.include({ status: "Invalid", additionalStatus: "Marked" });
      const { json } = await mark("Settled");
      expect(json).to.include({ status: "Settled", additionalStatus: "Marked" });
      expect(json.availableStatusesForManualMarking).to.deep.equal(["Invalid"]);
      expect(await refusedAt(mark("Settled"))).to.deep.equal(["status"]);
      for (const status of ["New", null, 1]) expect(await refusedAt(mark(status))).to.deep.equal(["status"]);
    });

    it("a late payment cannot be marked Settled, and the refusal says what to do", async () => {
      const { id, availableStatusesForManualMarking } = await lateInvoice();
      expect(availableStatusesForManualMarking).to.deep.equal(["Invalid"]);
      const { status, list } = await call("POST", `/invoices/${id}/status`, { body: { status: "Settled" } });
      expect(status).to.equal(422);
      expect(list).to.deep.equal([
        {
          path: "status",
          message: "The invoice was paid late and counts as Settled already. Complete the order in the shop.",
        },
      ]);
    });
  });

  describe("permissions", () => {
    const NEEDED = [
      ["GET", "/invoices", "btcpay.store.canviewinvoices"],
      ["GET", "/invoices/inv_x", "btcpay.store.canviewinvoices"],
      ["GET", "/invoices/inv_x/payment-methods", "btcpay.store.canviewinvoices"],
      ["POST", "/invoices", "btcpay.store.cancreateinvoice"],
      ["PUT", "/invoices/inv_x", "btcpay.store.canmodifyinvoices"],
      ["DELETE", "/invoices/inv_x", "btcpay.store.canmodifyinvoices"],
      ["POST", "/invoices/inv_x/status", "btcpay.store.canmodifyinvoices"],
      ["GET", "", "btcpay.store.canviewstoresettings"],
      ["GET", "/payment-methods", "btcpay.store.canviewstoresettings"],
      ["GET", "/rates?currencyPair=BTC_EUR", "btcpay.store.canviewstoresettings"],
      ["GET", "/webhooks", "btcpay.store.webhooks.canmodifywebhooks"],
      ["POST", "/webhooks", "btcpay.store.webhooks.canmodifywebhooks"],
      ["GET", "/webhooks/wh_x", "btcpay.store.webhooks.canmodifywebhooks"],
      ["PUT", "/webhooks/wh_x", "btcpay.store.webhooks.canmodifywebhooks"],
      ["DELETE", "/webhooks/wh_x", "btcpay.store.webhooks.canmodifywebhooks"],
    ] as const;
    const SERVED = [...new Set(NEEDED.map(([, , policy]) => policy))];
    const keyWith = async (permissions: readonly string[]) =>
      (await createApiKey(api.ctx, { storeId: shop.storeId, name: "x", permissions })).apiKey;
    const body = { amount: "1", currency: "EUR", status: "Settled", url: "http://127.0.0.1:1/hook" };

    for (const [method, rest, policy] of NEEDED)
      it(`${method} ${rest || "the store"} needs ${policy}`, async () => {
        const sent = method === "POST" || method === "PUT" ? { body } : {};
        const without = await keyWith(
          [...SERVED, "btcpay.store.canmodifystoresettings"].filter((one) => one !== policy),
        );
        const refused = await call(method, rest, { key: without, ...sent });
        expect([refused.status, refused.json.code, refused.json["missingPermission"]]).to.deep.equal([
          403,
          "missing-permission",
          policy,
        ]);
        const allowed = await call(method, rest, { key: await keyWith([policy]), ...sent });
        expect(allowed.status).to.be.oneOf([200, 404]);
      });

    it("a key of another store is refused with 403 missing-permission", async () => {
      const { apiKey } = await api.store();
      for (const [method, rest, policy] of NEEDED) {
        const sent = method === "POST" || method === "PUT" ? { body } : {};
        const { status, json } = await call(method, rest, { key: apiKey, ...sent });
        expect([status, json.code, json["missingPermission"]]).to.deep.equal([
          403,
          "missing-permission",
          policy,
        ]);
      }
    });
  });
});
