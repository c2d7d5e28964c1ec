import { expect } from "chai";
import { expectRefused, pointers, startApi, type Answer, type TestApi, type TestStore } from "../server";

describe("API: stores and the server", () => {
  let api: TestApi;
  let shop: TestStore;
  before(async () => (api = await startApi()));
  beforeEach(async () => (shop = await api.store()));
  after(() => api.stop());

  const read = () => api.call("GET", `/stores/${shop.storeId}`, { key: shop.apiKey });
  const patch = (body: unknown) => api.call("PATCH", `/stores/${shop.storeId}`, { key: shop.apiKey, body });
  const audit = () =>
    api.db.query<{ action: string; actor_kind: string; actor_id: string; details: object }[]>(
      "SELECT action, actor_kind, actor_id, details FROM audit_log WHERE store_id = $1 AND action = 'store.changed'",
      [shop.storeId],
    );
  const expectWrong = (answer: Answer, pointer: string) =>
    expectRefused(answer, 422, "validation-failed", pointer);

  it("are read with every setting", async () => {
    const { json } = await read();
    const { createdAt, ...rest } = json;
    expect(createdAt).to.match(/Z$/);
    expect(rest).to.deep.equal({
      storeId: shop.storeId,
      name: "Shop",
      website: null,
      supportUrl: null,
      sellerDetails: null,
      defaultCurrency: "BTC",
      timeZone: "UTC",
      effectiveTimeZone: "UTC",
      expiresInSeconds: 900,
      monitoringSeconds: 86_400,
      paymentTolerance: 0,
      requiredConfirmations: 1,
      confirmationTiers: [],
      zeroConfMaxSats: null,
      maxInvoiceSats: null,
      redirectAutomatically: false,
      receiptsByMail: false,
      privateRouteHints: false,
      lazyAddresses: false,
      rateSpread: 0,
      rateSources: null,
      branding: { logoUrl: null, color: null },
      checkoutOrigins: [],
      walletChangesByKey: false,
      archived: false,
    });
  });

  it("are read with the time zone that counts, also if the server does not know the chosen one", async () => {
    await api.db.query("UPDATE stores SET time_zone = 'Mars/Olympus' WHERE id = $1", [shop.storeId]);
    expect((await read()).json).to.include({ timeZone: "Mars/Olympus", effectiveTimeZone: "UTC" });
  });

  const changes = {
    name: "Tea",
    website: "https://tea.example/",
    supportUrl: "mailto:help@tea.example",
    sellerDetails: "Tea Ltd\n1 Harbour Road\nVAT IE1234567X",
    defaultCurrency: "EUR",
    timeZone: "Europe/Dublin",
    expiresInSeconds: 600,
    monitoringSeconds: 0,
    paymentTolerance: 0.5,
    requiredConfirmations: 0,
    confirmationTiers: [
      { aboveSats: 1_000_000, confirmations: 2 },
      { aboveSats: 2_100_000_000_000_000, confirmations: 100 },
    ],
    zeroConfMaxSats: 50_000,
    maxInvoiceSats: 100_000_000,
    redirectAutomatically: true,
    privateRouteHints: true,
    lazyAddresses: true,
    rateSpread: 1.25,
    rateSources: ["kraken", "coinbase"],
    branding: { logoUrl: "https://tea.example/logo.svg", color: "#F7931a" },
    checkoutOrigins: ["https://tea.example", "http://localhost:8080"],
  };

  it("change in every setting, and null removes one; the audit log has who, from what, to what", async () => {
    const changed = await patch(changes);
    expect([changed.status, changed.json], changed.text).to.deep.include(200);
    expect(changed.json).to.deep.include(changes);
    expect((await read()).json).to.deep.equal(changed.json);
    const cleared = await patch({
      website: null,
      supportUrl: null,
      requiredConfirmations: 3,
      zeroConfMaxSats: null,
      rateSources: null,
      branding: { logoUrl: null },
    });
    expect(cleared.json).to.deep.equal({
      ...changed.json,
      website: null,
      supportUrl: null,
      requiredConfirmations: 3,
      zeroConfMaxSats: null,
      rateSources: null,
      branding: { logoUrl: null, color: "#F7931a" },
    });
    const [first, second] = await audit();
    const [key] = await api.db.query<[{ id: string }]>("SELECT id FROM api_keys WHERE store_id = $1", [
      shop.storeId,
    ]);
    expect(first).to.include({ actor_kind: "key", actor_id: key.id });
    expect(first?.details).to.deep.include({ name: ["Shop", "Tea"], zeroConfMaxSats: [null, "50000"] });
    expect(second?.details).to.deep.include({ zeroConfMaxSats: ["50000", null] });
  });

  it("are unchanged by an empty change, and nothing is audited", async () => {
    const before = (await read()).json;
    expect((await patch({})).json).to.deep.equal(before);
    expect((await patch({ name: "Shop" })).json).to.deep.equal(before);
    expect(await audit()).to.deep.equal([]);
  });

  it("write origins as browsers do", async () => {
    const checkoutOrigins = [" https://TEA.example/ ", "https://tea.example:8443"];
    const { json } = await patch({ checkoutOrigins });
    expect(json.checkoutOrigins).to.deep.equal(["https://tea.example", "https://tea.example:8443"]);
    expect(
      pointers(await patch({ checkoutOrigins: ["https://a.example", "https://A.example:443"] })),
    ).to.deep.equal(["/checkoutOrigins/1"]);
    expect((await audit()).map(({ details }) => details)).to.deep.equal([
      { checkoutOrigins: [[], json.checkoutOrigins] },
    ]);
    expect((await patch({ checkoutOrigins: [] })).json.checkoutOrigins).to.deep.equal([]);
  });

  it("give their settings to later invoices", async () => {
    await patch({ defaultCurrency: "SATS", expiresInSeconds: 60, requiredConfirmations: 4 });
    const { json } = await api.call("POST", `/stores/${shop.storeId}/invoices`, {
      key: shop.apiKey,
      body: { amount: "5000" },
    });
    expect(json).to.include({ currency: "SATS", requiredConfirmations: 4 });
    expect(Date.parse(json.expiresAt) - Date.parse(json.createdAt)).to.equal(60_000);
  });

  it("keep both of two changes at once", async () => {
    const answers = await Promise.all([patch({ name: "One" }), patch({ website: "https://two.example" })]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect((await read()).json).to.include({ name: "One", website: "https://two.example" });
    expect(await audit()).to.have.length(2);
  });

  const tier = (aboveSats: unknown, confirmations: unknown) => ({ aboveSats, confirmations });
  const wrong: [string, object, string][] = [
    ["an empty name", { name: "  " }, "/name"],
    ["NUL in the name", { name: "a\u0000" }, "/name"],
    ["a website that is no URL", { website: "shop" }, "/website"],
    ["a script for a website", { website: "javascript:alert(1)" }, "/website"],
    ["a script for a support page", { supportUrl: "javascript:alert(1)" }, "/supportUrl"],
    ["an unknown currency", { defaultCurrency: "XXX" }, "/defaultCurrency"],
    ["no confirmations without a cap", { requiredConfirmations: 0 }, "/requiredConfirmations"],
    [
      "a tier of no confirmations without a cap",
      { confirmationTiers: [tier(1, 1), tier(2, 0)] },
      "/confirmationTiers/1/confirmations",
    ],
    ["a tier twice", { confirmationTiers: [tier(1, 1), tier(1, 2)] }, "/confirmationTiers"],
    ["a rate source twice", { rateSources: ["a", "a"] }, "/rateSources"],
    ["a logo of data", { branding: { logoUrl: "data:image/png,x" } }, "/branding/logoUrl"],
    ["an origin with a path", { checkoutOrigins: ["https://tea.example/pay"] }, "/checkoutOrigins/0"],
  ];
  for (const [name, body, pointer] of wrong)
    it(`refuse ${name}: 422 that points at it`, async () => {
      const before = (await read()).json;
      expectWrong(await patch(body), pointer);
      expect((await read()).json).to.deep.equal(before);
    });

  it("keep the cap that their 0 confirmations need", async () => {
    await patch({ requiredConfirmations: 0, zeroConfMaxSats: 1_000 });
    expectWrong(await patch({ zeroConfMaxSats: null }), "/requiredConfirmations");
  });

  it("allow reading the server's description with a key only", async () => {
    const { chain } = api.ctx;
    Object.assign(api.ctx, { chain: null });
    const info = await api.call("GET", "/server/info", { key: shop.apiKey });
    Object.assign(api.ctx, { chain });
    expect([info.status, info.json]).to.deep.equal([
      200,
      { version: "0.0.0-test", network: "regtest", explorerTxUrl: null, paymentMethods: [], rails: [] },
    ]);
    const refused = await api.call("GET", "/server/info");
    expectRefused(refused, 401, "unauthenticated");
    expectWrong(await api.call("GET", "/server/info?a=", { key: shop.apiKey }), "/a");
  });
});
