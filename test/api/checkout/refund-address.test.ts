import { expect } from "chai";
import { en, type TextKey } from "../../../domain/languages/texts/en";
import { leaveRefundAddress } from "../../../commands/invoices/leave-refund-address";
import { addressOfScript } from "../../../domain/wallet/address";
import { Invoice } from "../../../entities/invoice";
import { InvoiceHistory } from "../../../entities/invoice-history";
import { InvoicePaymentMethod } from "../../../entities/invoice-payment-method";
import type { Store } from "../../../entities/store";
import { checkoutStore, checkoutStories, STORE } from "../../stories/checkout-stories";
import { startApi, type TestApi } from "../server";

/** An address of somebody's own wallet. */
const addressOf = (byte: number): string =>
  addressOfScript(Buffer.concat([Buffer.from([0x00, 0x14]), Buffer.alloc(20, byte)]), "regtest") ?? "";
const ADDRESS = addressOf(1);
const OTHER = addressOf(2);
const SHORT = `${ADDRESS.slice(0, 6)}…${ADDRESS.slice(-4)}`;
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const MAINNET = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";

describe("leaving an address for a refund on the checkout", function () {
  this.timeout(60_000);
  let api: TestApi;
  let store: Store;
  let stories: ReturnType<typeof checkoutStories>;
  let own: Record<string, string>;
  before(async () => {
    api = await startApi();
    store = await checkoutStore(api.ctx);
    stories = checkoutStories(api.ctx, store);
    own = { ...FORM, origin: api.base };
  });
  after(() => api.stop());

  interface Request {
    headers?: Record<string, string>;
    query?: string;
  }
  const send = (id: string, body: string | Buffer, { headers = own, query = "" }: Request = {}) =>
    fetch(`${api.base}/i/${id}${query}`, { method: "POST", headers, body, redirect: "manual" });
  const leave = (id: string, address: string, request?: Request) =>
    send(id, String(new URLSearchParams({ refundAddress: address })), request);
  const stored = ({ id }: Pick<Invoice, "id">) => api.db.manager.findOneByOrFail(Invoice, { id });
  const told = (key: TextKey): string =>
    en[key]
      .replaceAll("{store}", STORE)
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;");
  const page = async (id: string): Promise<string> => (await fetch(`${api.base}/i/${id}`)).text();

  it("redirects to the page, which shows only the ends of the address", async () => {
    const { id } = await stories.invoiceIn("underpaid");
    const before = await api.ctx.now(api.db.manager);
    const answer = await leave(id, ` bitcoin:${ADDRESS.toUpperCase()}?amount=1 `, { query: "?lang=de" });
    expect([answer.status, answer.headers.get("location")]).to.deep.equal([303, `/i/${id}?lang=de#refund`]);
    const { refundAddress, refundAddressAt } = await stored({ id });
    expect(refundAddress).to.equal(ADDRESS);
    expect(refundAddressAt).to.be.within(before, await api.ctx.now(api.db.manager));
    const shown = (await page(id)) + (await (await fetch(`${api.base}/i/${id}/state`)).text());
    expect(shown).to.include(SHORT).and.to.include(told("refundLeftText"));
    expect(shown).not.to.include(ADDRESS).and.not.to.include(en.refundLabel);
    const history = await api.db.manager.findBy(InvoiceHistory, { invoiceId: id, kind: "refund-address" });
    expect(history.map(({ details }) => details)).to.deep.equal([{}]);
  });

  it("is offered before the page redirects to the store", async () => {
    const { id } = await stories.invoiceIn("overpaid", { redirectAutomatically: true });
    expect(await page(id)).not.to.include("data-redirect");
    await leave(id, ADDRESS);
    expect(await page(id)).to.include("data-redirect");
    const { id: paid } = await stories.invoiceIn("paid", { redirectAutomatically: true });
    expect(await page(paid)).to.include("data-redirect");
  });

  describe("is refused with a reason beside the field, which keeps the input:", () => {
    const REFUSED: [string, string, TextKey][] = [
      ["nothing", "", "refundEmpty"],
      ["a typing error", `${ADDRESS.slice(0, -1)}${ADDRESS.endsWith("q") ? "p" : "q"}`, "refundTypo"],
      ["what is no address", `"><script>alert(1)</script>`, "refundNoAddress"],
    ];
    for (const [what, typed, key] of REFUSED)
      it(what, async () => {
        const { id } = await stories.invoiceIn("underpaid");
        const answer = await leave(id, typed);
        expect([answer.status, answer.headers.get("content-type")]).to.deep.equal([
          422,
          "text/html; charset=utf-8",
        ]);
        const markup = await answer.text();
        expect(markup).to.include(`<p class="wrong" id="refund-wrong">${told(key)}</p>`);
        expect(markup).to.match(/<textarea\s+id="refund-field"[^>]* aria-invalid="true" autofocus[^>]*>/);
        expect(markup).to.include('aria-describedby="refund-wrong refund-hint"');
        const kept = typed.replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
        expect(markup).to.include(`>\n${kept}</textarea`).and.not.to.include("<script>");
        expect(markup, "takes away what is being typed").not.to.include('http-equiv="refresh"');
        expect((await stored({ id })).refundAddress).to.equal(null);
      });

    it("an address of this invoice, and of any other", async () => {
      const mine = await stories.invoiceIn("underpaid");
      const others = await stories.make();
      for (const invoiceId of [mine.id, others.id]) {
        const { destination } = await api.db.manager.findOneByOrFail(InvoicePaymentMethod, {
          invoiceId,
          type: "BTC-CHAIN",
        });
        const answer = await leave(mine.id, destination ?? "");
        expect([answer.status, (await answer.text()).includes(told("refundOwn"))]).to.deep.equal([422, true]);
      }
      expect((await stored(mine)).refundAddress).to.equal(null);
    });

    it("far longer than any address", async () => {
      const { id } = await stories.invoiceIn("underpaid");
      const answer = await leave(id, "x".repeat(9_000));
      expect(answer.status).to.equal(422);
      expect(await answer.text())
        .to.include(told("refundNoAddress"))
        .and.to.include(">\n</textarea");
    });

    it("a form without the field, or of another encoding", async () => {
      const { id } = await stories.invoiceIn("underpaid");
      for (const body of ["", "address=1", Buffer.from([0xff, 0xfe, 0x00])])
        expect((await send(id, body)).status).to.equal(422);
      expect((await send(id, `refundAddress=%00${ADDRESS}`)).status).to.equal(422);
      expect((await send(id, "refundAddress=%F0%9F%92%A9%ED%A0%80")).status).to.equal(422);
      expect((await stored({ id })).refundAddress).to.equal(null);
    });
  });

  it("says so when none is needed, and accepts none", async () => {
    for (const phase of ["waiting", "paid", "expired"] as const) {
      const { id } = await stories.invoiceIn(phase);
      const answer = await leave(id, ADDRESS);
      expect(answer.status, phase).to.equal(409);
      const markup = await answer.text();
      expect(markup).to.include(en[`${phase}Title`]).and.to.include(told("refundNotNeeded"));
      expect(markup).not.to.include("<form");
      expect((await stored({ id })).refundAddress).to.equal(null);
    }
  });

  it("is final: nobody else with the link can replace it", async () => {
    const { id } = await stories.invoiceIn("overpaid");
    expect((await leave(id, ADDRESS)).status).to.equal(303);
    for (const later of [OTHER, "", MAINNET]) {
      const answer = await leave(id, later);
      expect(answer.status, later).to.equal(409);
      const markup = await answer.text();
      expect(markup).to.include(told("refundTaken")).and.to.include(SHORT).and.not.to.include("<form");
    }
    expect((await stored({ id })).refundAddress).to.equal(ADDRESS);
  });

  it("is the same when it is sent twice", async () => {
    const { id } = await stories.invoiceIn("overpaid");
    expect((await leave(id, ADDRESS)).status).to.equal(303);
    const { refundAddressAt } = await stored({ id });
    expect((await leave(id, ADDRESS.toUpperCase())).status).to.equal(303);
    expect((await stored({ id })).refundAddressAt).to.deep.equal(refundAddressAt);
    expect(await api.db.manager.countBy(InvoiceHistory, { invoiceId: id, kind: "refund-address" })).to.equal(
      1,
    );
  });

  it("is accepted from exactly one of many at once", async () => {
    const { id } = await stories.invoiceIn("underpaid");
    const addresses = Array.from({ length: 8 }, (_, at) => addressOf(at + 10));
    const answers = await Promise.all(addresses.map((address) => leaveRefundAddress(api.ctx, id, address)));
    expect(answers.filter((answer) => answer === "left")).to.have.length(1);
    expect(answers.filter((answer) => answer === "taken")).to.have.length(7);
    expect((await stored({ id })).refundAddress).to.equal(addresses[answers.indexOf("left")]);
  });

  describe("from another site", () => {
    it("is refused", async () => {
      const { id } = await stories.invoiceIn("underpaid");
      const answer = await leave(id, ADDRESS, { headers: { ...FORM, origin: "https://evil.example" } });
      expect(answer.status).to.equal(403);
      expect(await answer.json()).to.include({ code: "cross-site-request" });
      expect((await stored({ id })).refundAddress).to.equal(null);
    });

    it("allows, by the page's policy, the form to post only to us, with the origin sent", async () => {
      const { id } = await stories.invoiceIn("underpaid");
      const { headers } = await fetch(`${api.base}/i/${id}`);
      expect(headers.get("content-security-policy")).to.include("form-action 'self';");
      expect(headers.get("referrer-policy")).to.equal("same-origin");
    });
  });

  it("accepts a form and nothing else", async () => {
    const { id } = await stories.invoiceIn("underpaid");
    for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x"]) {
      const headers = { ...own, "content-type": type };
      expect((await leave(id, ADDRESS, { headers })).status, type).to.equal(415);
    }
  });

  describe("for the merchant", () => {
    it("is in the API and the exports, and is cleared there so that another can be left", async () => {
      const shop = await api.store();
      const shopStore = { id: shop.storeId } as Store;
      const { id } = await checkoutStories(api.ctx, shopStore).invoiceIn("underpaid", {
        currency: "SATS",
        amount: "22728",
      });
      const call = (method: string, path: string, body?: unknown) =>
        api.call(method, `/stores/${shop.storeId}/invoices${path}`, { key: shop.apiKey, body });
      expect((await call("GET", `/${id}`)).json).to.include({ refundAddress: null, refundAddressAt: null });
      await leave(id, ADDRESS);
      const { refundAddressAt } = await stored({ id });
      const at = refundAddressAt?.toISOString();
      expect((await call("GET", `/${id}`)).json).to.include({ refundAddress: ADDRESS, refundAddressAt: at });
      const csv = (await call("GET", "/export?format=csv")).text.split("\r\n");
      expect(csv[0]).to.match(/,"refundAddress","refundAddressAt","paymentsOmitted"$/);
      expect(csv[1]).to.match(new RegExp(`,"${ADDRESS}","${at ?? ""}","0"$`));
      expect((await call("GET", "/export?format=json")).json.data[0]).to.include({ refundAddress: ADDRESS });

      const mine = await call("PATCH", `/${id}`, { refundAddress: OTHER });
      expect([mine.status, mine.json.errors[0]?.pointer]).to.deep.equal([422, "/refundAddress"]);
      const cleared = await call("PATCH", `/${id}`, { refundAddress: null });
      expect(cleared.status, cleared.text).to.equal(200);
      expect(cleared.json).to.include({ refundAddress: null, refundAddressAt: null });
      expect((await call("PATCH", `/${id}`, { refundAddress: null })).status).to.equal(200);
      expect((await leave(id, OTHER)).status).to.equal(303);
      expect((await stored({ id })).refundAddress).to.equal(OTHER);
      const lines = (await call("GET", `/${id}/events`)).json.data;
      expect(
        lines
          .filter(({ kind }) => kind === "refund-address" || kind === "edited")
          .map(({ at: _, ...line }) => line),
      ).to.deep.equal([
        { kind: "refund-address" },
        { kind: "edited", fields: ["refundAddress"] },
        { kind: "refund-address" },
      ]);
    });

    it("is erased with the customer's other data", async () => {
      const shop = await api.store();
      const shopStore = { id: shop.storeId } as Store;
      const { id } = await checkoutStories(api.ctx, shopStore).invoiceIn("overpaid", {
        currency: "SATS",
        amount: "22728",
      });
      await leave(id, ADDRESS);
      await api.db.query("UPDATE webhook_deliveries SET state = 'delivered' WHERE invoice_id = $1", [id]);
      const erased = await api.call("POST", `/stores/${shop.storeId}/invoices/${id}/erase`, {
        key: shop.apiKey,
      });
      expect(erased.status, erased.text).to.equal(200);
      expect(erased.json).to.include({ refundAddress: null, refundAddressAt: null });
      expect(await stored({ id })).to.include({ refundAddress: null, refundAddressAt: null });
    });
  });
});
