import { expect } from "chai";
import { expectRefused, startApi, type TestApi, type TestStore } from "../server";

const FIELDS =
  "invoiceId storeId status additionalStatus amount currency dueSats rate paidSats confirmedSats remainingSats metadata redirectUrl redirectAutomatically description checkoutUrl createdAt expiresAt monitoringUntil requiredConfirmations paymentTolerance archived refundAddress refundAddressAt paymentMethods payments paymentsOmitted paymentUri";

describe("API: invoices", () => {
  let api: TestApi;
  let shop: TestStore;
  before(async () => {
    api = await startApi();
    shop = await api.store();
  });
  after(() => api.stop());

  const path = (rest = "") => `/stores/${shop.storeId}/invoices${rest}`;
  const create = (body: unknown, key = shop.apiKey) => api.call("POST", path(), { key, body });
  const get = (rest: string) => api.call("GET", path(rest), { key: shop.apiKey });
  const post = (rest: string, body?: unknown) => api.call("POST", path(rest), { key: shop.apiKey, body });

  describe("created", () => {
    it("answer 201 and every field of the Invoice", async () => {
      const { status, json } = await create({
        amount: "12.50",
        currency: "USD",
        metadata: { orderId: "A-1" },
      });
      expect(status).to.equal(201);
      expect(Object.keys(json)).to.deep.equal(FIELDS.split(" "));
      const [method] = json.paymentMethods;
      expect(json).to.deep.include({
        storeId: shop.storeId,
        status: "New",
        additionalStatus: "None",
        amount: "12.50",
        currency: "USD",
        dueSats: 20_834,
        paidSats: 0,
        confirmedSats: 0,
        remainingSats: 20_834,
        metadata: { orderId: "A-1" },
        checkoutUrl: `http://127.0.0.1:3000/i/${json.invoiceId}`,
        paymentTolerance: 0,
        archived: false,
        payments: [],
        paymentUri: `bitcoin:${method.destination}?amount=0.00020834`,
      });
      expect(json.invoiceId).to.match(/^inv_[1-9A-HJ-NP-Za-km-z]{22,}$/);
      expect(json.rate).to.deep.include({ value: "60000", sources: ["fixed"] });
      expect(json.createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Date.parse(json.expiresAt) - Date.parse(json.createdAt)).to.equal(900_000);
      expect(method).to.deep.equal({
        type: "BTC-CHAIN",
        destination: method.destination,
        paymentUri: json.paymentUri,
        amountSats: 20_834,
        available: true,
      });
      expect(method.destination).to.match(/^bcrt1q/);
    });

    it("read back as they were answered", async () => {
      const made = await create({
        amount: "50000",
        currency: "SATS",
        description: "Zwei Bücher 📚",
        redirectUrl: "https://shop.example/thanks?order={orderId}&i={invoiceId}",
        redirectAutomatically: true,
        expiresInSeconds: 30,
        monitoringSeconds: 0,
        requiredConfirmations: 100,
        paymentTolerance: 2.5,
        paymentMethods: ["BTC-CHAIN"],
        language: "pt-BR",
      });
      expect(made.status, made.text).to.equal(201);
      const read = await get(`/${made.json.invoiceId}`);
      expect(read.status).to.equal(200);
      expect(read.json).to.deep.equal(made.json);
      expect(read.json).to.deep.include({
        metadata: { orderId: made.json.invoiceId },
        requiredConfirmations: 100,
        paymentTolerance: 2.5,
        redirectAutomatically: true,
        rate: null,
      });
    });

    it("keep metadata exactly: order of keys, large numbers, escapes", async () => {
      const metadata = String.raw`{"orderId":"Ä-1","2":"b","1":"a","big":9223372036854775808,"e":1.10e+2,"u":"\u00e9\u0000\ud83d\ude00","nested":{"z":[1,{"10":1,"9":2}],"a":null}}`;
      const made = await create(`{ "metadata" : ${metadata} , "amount":"1000","currency":"SATS"}`);
      expect(made.status, made.text).to.equal(201);
      expect(made.text).to.include(`"metadata":${metadata},`);
      expect((await get(`/${made.json.invoiceId}`)).text).to.include(`"metadata":${metadata},`);
      expect((await get("?limit=1")).text).to.include(`"metadata":${metadata},`);
    });

    it("keep metadata that look like our own marker", async () => {
      const metadata = `{"text":"raw:{}","orderId":"x"}`;
      const made = await create(`{"amount":"1000","currency":"SATS","metadata":${metadata}}`);
      expect(made.text).to.include(`"metadata":${metadata},`);
    });

    it("accept 32 KiB of metadata and 200 characters of order id, counted as characters", async () => {
      const filler = "x".repeat(32 * 1024 - '{"a":""}'.length);
      expect((await create({ amount: "1000", currency: "SATS", metadata: { a: filler } })).status).to.equal(
        201,
      );
      const over = await create({ amount: "1000", currency: "SATS", metadata: { a: `${filler}x` } });
      expectRefused(over, 422, "validation-failed", "/metadata");
      const orderId = "📚".repeat(200);
      expect((await create({ amount: "1000", currency: "SATS", metadata: { orderId } })).status).to.equal(
        201,
      );
      const long = await create({ amount: "1000", currency: "SATS", metadata: { orderId: `${orderId}x` } });
      expectRefused(long, 422, "validation-failed", "/metadata/orderId");
    });
  });

  it("takes a currency in any case", async () => {
    const { json } = await create({ amount: "12.50", currency: "eur" });
    expect(json["currency"]).to.equal("EUR");
  });

  describe("not created", () => {
    const valid = { amount: "1000", currency: "SATS" };
    const wrong: [string, object, string][] = [
      ["a field whose name needs escaping", { "a/b~c": 1 }, "/a~1b~0c"],
      ["a zero amount", { amount: "0" }, "/amount"],
      ["an amount with NUL", { amount: "1\0" }, "/amount"],
      ["an amount below dust", { amount: "1" }, "/amount"],
      ["more than 21 million bitcoin", { amount: "21000000.00000001", currency: "BTC" }, "/amount"],
      ["too many decimals", { amount: "1.001", currency: "USD" }, "/amount"],
      ["an unknown currency", { currency: "XXX" }, "/currency"],
      ["an order id that is a number", { metadata: { orderId: 7 } }, "/metadata/orderId"],
      ["an order id with NUL", { metadata: { orderId: "a\0" } }, "/metadata/orderId"],
      [
        "half a character in metadata",
        { metadata: { item: { title: "Blue mug \ud83d…" } } },
        "/metadata/item/title",
      ],
      ["an order id with half a character", { metadata: { orderId: "\ud800" } }, "/metadata/orderId"],
      ["a description with NUL", { description: "a\0" }, "/description"],
      ["a redirect to javascript:", { redirectUrl: "javascript:alert(1)" }, "/redirectUrl"],
      ["a redirect that is no URL", { redirectUrl: "shop.example" }, "/redirectUrl"],
      ["a redirect with a line break", { redirectUrl: "https://a.example/\nx" }, "/redirectUrl"],
      ["zero confirmations without a cap", { requiredConfirmations: 0 }, "/requiredConfirmations"],
      ["a payment method that the store lacks", { paymentMethods: ["BTC-LN"] }, "/paymentMethods"],
    ];
    for (const [name, fields, pointer] of wrong)
      it(`for ${name}: 422 that points at it`, async () => {
        expectRefused(await create({ ...valid, ...fields }), 422, "validation-failed", pointer);
      });

    it("for a missing field and one of the wrong type: 422 that says which of the two", async () => {
      const messages = async (body: unknown): Promise<string[]> =>
        (await create(body)).json.errors.map(({ message }) => message);
      expect(await messages({ currency: "EUR" })).to.deep.equal(["Required."]);
      expect(await messages({ amount: 12.5, currency: "EUR" })).to.deep.equal([
        'Must be a decimal string such as "12.50".',
      ]);
      expect(await messages([])).to.deep.equal(["Must be an object."]);
    });

    it("for a duplicate field: 400, and in metadata 422", async () => {
      expectRefused(
        await create(`{"amount":"1000","amount":"2000","currency":"SATS"}`),
        400,
        "malformed-request",
      );
      expectRefused(
        await create(`{"amount":"1000","currency":"SATS","metadata":{"orderId":"a","order\\u0049d":"b"}}`),
        422,
        "validation-failed",
        "/metadata",
      );
    });

    it("for a body that is half a character: the detail names the body", async () => {
      const { status, json } = await create('"\\ud800"');
      expect([status, json.detail]).to.deep.equal([
        422,
        "The body: Must not contain an unpaired surrogate (half of a character).",
      ]);
    });

    it("for a currency without a rate: 503 rate-unavailable", async () => {
      expectRefused(await create({ amount: "100", currency: "JPY" }), 503, "rate-unavailable");
    });
  });

  describe("marked by hand", () => {
    it("answer the Invoice, once: the same mark again is 409", async () => {
      const { json } = await create({ amount: "1000", currency: "SATS" });
      const marked = await post(`/${json.invoiceId}/status`, { status: "Settled", note: "paid in cash" });
      expect([marked.status, marked.json.status]).to.deep.equal([200, "Settled"]);
      expectRefused(
        await post(`/${json.invoiceId}/status`, { status: "Settled" }),
        409,
        "invalid-transition",
      );
      const other = await post(`/${json.invoiceId}/status`, { status: "Invalid" });
      expect([other.status, other.json.status]).to.deep.equal([200, "Invalid"]);
    });
  });

  it("list payments with their confirmations, and sats still due", async () => {
    const { json } = await create({ amount: "5000", currency: "SATS" });
    const txid = "ab".repeat(32);
    await api.db.query(
      `INSERT INTO payments (id, invoice_id, store_id, type, amount_sats, state, first_seen_at, confirmed_at, txid, vout, block_height)
       VALUES ($1 || ':3', $2, (SELECT store_id FROM invoices WHERE id = $2), 'BTC-CHAIN', 2000, 'confirmed', now(), now(), $1, 3, 98)`,
      [txid, json.invoiceId],
    );
    await api.db.query("INSERT INTO chain_blocks (height, hash, previous_hash) VALUES (100, 'a', 'b')");
    const { json: seen } = await post(`/${json.invoiceId}/check`);
    expect(seen).to.deep.include({ status: "New", paidSats: 2000, confirmedSats: 2000, remainingSats: 3000 });
    expect(seen.paymentUri).to.match(/\?amount=0\.00003$/);
    expect(seen.payments).to.have.length(1);
    expect(seen.payments[0]).to.deep.include({
      id: `${txid}:3`,
      type: "BTC-CHAIN",
      amountSats: 2000,
      state: "confirmed",
      late: false,
      txid,
      vout: 3,
      confirmations: 3,
      blockHeight: 98,
    });
    for (const q of [txid, txid.toUpperCase(), `${txid}:3`])
      expect((await get(`?q=${q}`)).json.data.map(({ invoiceId }) => invoiceId)).to.deep.equal([
        json.invoiceId,
      ]);
  });
});
