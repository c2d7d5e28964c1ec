import { expect } from "chai";
import type { z } from "zod";
import { SESSION_ROUTES } from "../../../api/route-table";
import { archiveStore } from "../../../commands/stores/archive-store";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { createInvoice } from "../../../commands/invoices/create-invoice";
import { insertNode } from "../../../commands/lightning/lightning-node";
import { createWebhook } from "../../../commands/webhooks/create-webhook";
import { raiseAlert } from "../../../commands/server/raise-alert";
import { anyAlertPage } from "../../../api/dashboard/server/alert-answer";
import { auditPage } from "../../../api/dashboard/server/audit-request";
import { serverStateAnswer } from "../../../api/dashboard/server/answer";
import {
  checkoutPreviewAnswer,
  storeHomeAnswer,
  placeOfDeliveryAnswer,
  storeLinePage,
  storeOfInvoiceAnswer,
} from "../../../api/dashboard/stores/request";
import { LightningNode } from "../../../entities/lightning-node";
import { StorePaymentMethod } from "../../../entities/store-payment-method";
import { WebhookDelivery } from "../../../entities/webhook-delivery";
import { buildPayment } from "../../support/factories";
import { expectRefused, startApi, type Answer, type TestApi, type TestStore } from "../server";
import { join, testUser, type TestUser } from "./user";
import { inTransaction } from "../../../commands/transaction";

/** The answer, held against its schema: a field that is not described fails. */
function read<S extends z.ZodType>(schema: S, answer: Answer): z.output<S> {
  expect(answer.status, answer.text).to.be.within(200, 201);
  return schema.parse(answer.json);
}

describe("dashboard: stores, their home, alerts and the audit log", () => {
  let api: TestApi;
  let shop: TestStore;
  let owner: TestUser;
  let admin: TestUser;
  beforeEach(async () => {
    api = await startApi();
    shop = await api.store();
    owner = await testUser(api);
    admin = await testUser(api, { admin: true });
    await join(api, owner, shop.storeId, "owner");
  });
  afterEach(() => api.stop());

  it("preview the checkout with what is typed, for members alone, and with nothing that can be paid", async () => {
    const path = `/stores/${shop.storeId}/checkout-preview`;
    const body = {
      name: "<Tea>",
      branding: { color: "#f7931a", logoUrl: "https://shop.example/l.svg" },
      sellerDetails: "VAT <1>",
      nonce: '"><script>',
    };
    const viewer = await testUser(api);
    expect((await viewer.call("POST", path, { body: { ...body, phase: "paid" } })).status).to.equal(403);
    await join(api, viewer, shop.storeId, "viewer");
    const preview = async (phase: string): Promise<string> =>
      read(checkoutPreviewAnswer, await viewer.call("POST", path, { body: { ...body, phase } })).document;
    const [waiting, paid] = [await preview("waiting"), await preview("paid")];
    expect(waiting).to.include("--brand: #f7931a").and.to.include('src="https://shop.example/l.svg"');
    expect(waiting)
      .to.include("&lt;Tea&gt;")
      .and.to.not.match(/<script|bitcoin:|lightning:/);
    expect(paid).to.include("VAT &lt;1&gt;").and.to.not.include("<script");
    const { json } = await owner.call("GET", `/stores/${shop.storeId}`);
    expect(json).to.deep.include({ name: "Shop", sellerDetails: null });
  });

  it("allows only an admin to create a store, and reports to each user whether they may, unless everyone may", async () => {
    const made = async (user: TestUser) => {
      const { json } = await user.call("GET", "/session");
      const answer = await user.call("POST", "/stores", { body: { name: "A store" } });
      return [json["mayCreateStores"], answer.status, answer.json["code"]];
    };
    expect(await made(owner)).to.deep.equal([false, 403, "admin-only"]);
    expect(await made(admin)).to.deep.equal([true, 201, undefined]);
    api.ctx.settings.storeCreation = "everyone";
    api.ctx.settings.maxStoresPerUser = 2; // the owner has one
    expect(await made(owner)).to.deep.equal([true, 201, undefined]);
    expect(await made(owner)).to.deep.equal([true, 409, "limit-reached"]);
  });

  it("names the store of an invoice to its members only, for a link that does not", async () => {
    const { invoice } = await createInvoice(api.ctx, shop.storeId, { amount: "1000", currency: "SATS" });
    const ask = (user: TestUser, id = invoice.id) => user.call("GET", `/invoices/${id}`);
    for (const user of [owner, admin])
      for (const spelled of [invoice.id, invoice.id.replace("_", "")])
        expect(read(storeOfInvoiceAnswer, await ask(user, spelled))).to.deep.equal({
          storeId: shop.storeId,
          invoiceId: invoice.id,
        });
    const other = await testUser(api);
    const refused = await ask(other);
    expectRefused(refused, 404, "invoice-not-found");
    const missing = await ask(owner, "inv_4wBqpZM9k2mAgN8rTzZy7VdQ");
    expect({ ...missing.json, requestId: "" }).to.deep.equal({ ...refused.json, requestId: "" });
  });

  it("names the place of a delivery to its members only, for a link that knows its id alone", async () => {
    const { webhook } = await createWebhook(api.ctx, {
      storeId: shop.storeId,
      url: "http://127.0.0.1:1/hook",
    });
    await createInvoice(api.ctx, shop.storeId, { amount: "1000", currency: "SATS" });
    const { id } = await api.db.manager.findOneByOrFail(WebhookDelivery, { webhookId: webhook.id });
    const ask = (user: TestUser) => user.call("GET", `/deliveries/${id}`);
    for (const user of [owner, admin])
      expect(read(placeOfDeliveryAnswer, await ask(user))).to.deep.equal({
        storeId: shop.storeId,
        webhookId: webhook.id,
      });
    const refused = await ask(await testUser(api));
    expectRefused(refused, 404, "delivery-not-found");
  });

  it("makes the creator a store's owner, and lists it with what each may do there", async () => {
    api.ctx.settings.storeCreation = "everyone";
    const made = await owner.call("POST", "/stores", { body: { name: "Tea 100%", defaultCurrency: "EUR" } });
    expect([made.status, made.json["name"], made.json["defaultCurrency"]]).to.deep.equal([
      201,
      "Tea 100%",
      "EUR",
    ]);
    const { data } = read(storeLinePage, await owner.call("GET", "/stores"));
    expect(data.map(({ name, role, member }) => [name, role, member])).to.deep.equal([
      ["Tea 100%", "owner", true],
      ["Shop", "owner", true],
    ]);
    const all = read(storeLinePage, await admin.call("GET", "/stores?q=TEA"));
    expect(all.data.map(({ name, role, member }) => [name, role, member])).to.deep.equal([
      ["Tea 100%", "owner", false],
    ]);
    expect(read(storeLinePage, await owner.call("GET", "/stores?q=%25")).data).to.have.length(1);
    const page = read(storeLinePage, await owner.call("GET", "/stores?limit=1"));
    const rest = read(storeLinePage, await owner.call("GET", `/stores?cursor=${page.nextCursor ?? ""}`));
    expect([page.data[0]?.name, rest.data.map(({ name }) => name)]).to.deep.equal(["Tea 100%", ["Shop"]]);
  });

  it("archives a store, whose key works on, and restores it; each is recorded once", async () => {
    const { storeId, apiKey } = shop;
    for (const _ of [1, 2])
      expect((await owner.call("POST", `/stores/${storeId}/archive`)).json["archived"]).to.equal(true);
    expect(read(storeLinePage, await owner.call("GET", "/stores")).data).to.deep.equal([]);
    expect(read(storeLinePage, await owner.call("GET", "/stores?archived=true")).data).to.have.length(1);
    expect((await api.call("GET", `/stores/${storeId}/invoices`, { key: apiKey })).status).to.equal(200);
    expect((await owner.call("POST", `/stores/${storeId}/unarchive`)).json["archived"]).to.equal(false);
    const { data } = read(auditPage, await owner.call("GET", `/stores/${storeId}/audit`));
    expect(data.slice(0, 2).map(({ action, actor }) => [action, actor.kind, actor.name])).to.deep.equal([
      ["store.unarchived", "user", owner.email],
      ["store.archived", "user", owner.email],
    ]);
  });

  it("shows at home what was received by day and payment method, invoices by status, webhooks and open alerts", async () => {
    const { ctx, db } = api;
    const { storeId } = shop;
    const make = async () =>
      (await createInvoice(ctx, storeId, { amount: "1000", currency: "SATS" })).invoice.id;
    const { webhook } = await createWebhook(ctx, { storeId, url: "http://127.0.0.1:9/hook" });
    const [paid, byLightning] = [await make(), await make(), await make()];
    const at = await ctx.now(db.manager);
    ctx.clock.freeze(at); // no day ends meanwhile
    const day = (ago: number) => new Date(at.getTime() - ago * 86_400_000);
    await buildPayment(ctx, paid, { amountSats: 700n, state: "confirmed", confirmedAt: day(2) });
    await buildPayment(ctx, paid, { amountSats: 800n, state: "confirmed", confirmedAt: day(2) });
    await buildPayment(ctx, paid, {
      amountSats: 9n,
      state: "confirmed",
      confirmedAt: day(2),
      neverCounts: true,
    });
    await buildPayment(ctx, paid, { amountSats: 5n, state: "confirmed", confirmedAt: day(31) });
    await buildPayment(ctx, byLightning, {
      amountSats: 1_000n,
      state: "confirmed",
      type: "BTC-LN",
      txid: null,
      vout: null,
      blockHeight: null,
      blockHash: null,
    });
    for (const id of [paid, byLightning]) await changeInvoice(ctx, id);
    await db.query("UPDATE webhook_deliveries SET state = 'failed' WHERE invoice_id = $1", [paid]);
    await inTransaction(ctx, (tx) =>
      raiseAlert(tx, { kind: "gap-limit", severity: "info", subject: "x", message: "x", storeId }),
    );
    const home = read(storeHomeAnswer, await owner.call("GET", `/stores/${storeId}/home`));
    expect([home.received.length, home.received.at(-1)?.day]).to.deep.equal([
      30,
      day(0).toISOString().slice(0, 10),
    ]);
    expect(
      home.received.filter(({ onchainSats, lightningSats }) => onchainSats + lightningSats > 0),
    ).to.deep.equal([
      { day: day(2).toISOString().slice(0, 10), onchainSats: 1_500, lightningSats: 0 },
      { day: day(0).toISOString().slice(0, 10), onchainSats: 0, lightningSats: 1_000 },
    ]);
    expect(home.invoices).to.deep.equal({ New: 1, Processing: 0, Settled: 2, Expired: 0, Invalid: 0 });
    expect(home.webhooks.map(({ webhookId }) => webhookId)).to.deep.equal([webhook.id]);
    expect(home.webhooks[0]?.failedDeliveries).to.be.greaterThan(0);
    expect(home.openAlerts).to.be.greaterThan(0);
    const deliveries = await owner.call("GET", `/stores/${storeId}/invoices/${paid}/deliveries`);
    expect(deliveries.json.data.map(({ type }) => type)).to.deep.equal(["New", "Settled"]);
  });

  it("shows on a store's home the nodes that its payments come to", async () => {
    const { ctx } = api;
    const railsOf = async (): Promise<unknown> =>
      read(storeHomeAnswer, await owner.call("GET", `/stores/${storeId}/home`)).rails.map(
        ({ type, problem }) => ({ type, problem }),
      );
    const { storeId } = await api.store();
    await join(api, owner, storeId, "owner");
    const chain = { type: "BTC-CHAIN", problem: "The chain has not been checked yet." };
    expect(await railsOf()).to.deep.equal([chain]);
    const given = { ...{ address: "127.0.0.1:1", tlsCertificate: null, macaroon: "00" }, nodeKey: null };
    const { id } = await inTransaction(ctx, (tx) =>
      insertNode(tx, { storeId, ...given, network: "regtest" }),
    );
    await ctx.db.manager.insert(StorePaymentMethod, { storeId, type: "BTC-LN", lightningNodeId: id });
    const problem = "Its own problem.";
    await ctx.db.manager.update(LightningNode, { id }, { checkedAt: new Date(), problem });
    expect(await railsOf()).to.deep.equal([chain, { type: "BTC-LN", problem }]);
  });

  it("closes an alert by hand, once, and it may be raised again", async () => {
    const { ctx } = api;
    const { storeId } = shop;
    const raise = () =>
      inTransaction(ctx, (tx) =>
        raiseAlert(tx, {
          kind: "reorganisation",
          severity: "warning",
          subject: "s",
          message: "x",
          storeId,
        }),
      );
    await raise();
    const open = await owner.call("GET", `/stores/${storeId}/alerts?state=open`);
    const { alertId } = open.json.data[0] as unknown as { alertId: string };
    const resolve = (user: TestUser, path: string) => user.call("POST", `${path}/alerts/${alertId}/resolve`);
    const first = await resolve(owner, `/stores/${storeId}`);
    expect(first.json["resolvedAt"]).to.be.a("string");
    expect((await resolve(admin, "/admin")).json["resolvedAt"]).to.equal(first.json["resolvedAt"]);
    await raise();
    expect((await owner.call("GET", `/stores/${storeId}/alerts?state=open`)).json.data).to.have.length(1);
    const { data } = read(auditPage, await admin.call("GET", "/admin/audit?action=alert.resolved"));
    expect(data.map(({ subject, details }) => [subject, details["kind"]])).to.deep.equal([
      [alertId, "reorganisation"],
    ]);
    expect(read(anyAlertPage, await admin.call("GET", "/admin/alerts")).data).to.have.length(2);
    expect((await resolve(owner, `/stores/${storeId}`)).status).to.equal(200);
    expect((await admin.call("POST", "/admin/alerts/alr_none/resolve")).json.code).to.equal(
      "alert-not-found",
    );
  });

  it("shows an admin the server's state, and pages through the audit log by key", async () => {
    const state = read(serverStateAnswer, await admin.call("GET", "/admin/health"));
    expect([state.health.checks.database.status, state.queues]).to.deep.equal(["ok", null]);
    for (let n = 0; n < 4; n++) await archiveStore(api.ctx, shop.storeId, n % 2 === 0);
    const whole = read(auditPage, await admin.call("GET", `/admin/audit?storeId=${shop.storeId}`));
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const next = cursor === "" ? "" : `&cursor=${cursor}`;
      const page: z.output<typeof auditPage> = read(
        auditPage,
        await admin.call("GET", `/admin/audit?limit=2&storeId=${shop.storeId}${next}`),
      );
      seen.push(...page.data.map(({ auditId }) => auditId));
      cursor = page.nextCursor;
    }
    expect(seen).to.deep.equal(whole.data.map(({ auditId }) => auditId));
    expect(seen.length).to.be.at.least(6);
  });

  it("shows secrets only in the answer that created them", async () => {
    const base = `/stores/${shop.storeId}`;
    const key = await owner.call("POST", `${base}/api-keys`, { body: { name: "till" } });
    const hook = await owner.call("POST", `${base}/webhooks`, { body: { url: "http://127.0.0.1:9/hook" } });
    const secrets = [key.json["apiKey"], hook.json.secret] as string[];
    const ids: Record<string, string> = { storeId: shop.storeId, webhookId: hook.json.webhookId };
    for (const { path } of SESSION_ROUTES.filter(
      ({ method, path: at }) => method === "get" && !at.endsWith("/stream"),
    )) {
      const { text } = await admin.call(
        "GET",
        path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? "none"),
      );
      for (const secret of secrets) expect(text, path).not.to.include(secret);
    }
    const { data } = read(auditPage, await owner.call("GET", `${base}/audit?actorId=${owner.userId}`));
    expect(data.map(({ action }) => action)).to.deep.equal(["webhook.created", "api-key.created"]);
  });
});
