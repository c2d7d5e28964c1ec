import { expect } from "chai";
import { LightningNode } from "../../../entities/lightning-node";
import { watchCertificates } from "../../../commands/lightning/watch-certificates";
import { describeCertificate } from "../../../domain/lightning/node-access";
import { StorePaymentMethod } from "../../../entities/store-payment-method";
import { SimulatedLnd } from "../../support/devnet/simulated-lnd";
import { join, testUser, type TestUser } from "../dashboard/user";
import { pointers, startApi, type Answer, type TestApi, type TestStore } from "../server";

describe("API: a store's own Lightning node", () => {
  let api: TestApi;
  let shop: TestStore;
  let owner: TestUser;
  let node: SimulatedLnd;
  before(async () => {
    api = await startApi();
    node = await SimulatedLnd.start();
  });
  after(async () => {
    await node.stop();
    await api.stop();
  });
  beforeEach(async () => {
    await api.db.query("DELETE FROM store_payment_methods WHERE type = 'BTC-LN'");
    await api.db.query("DELETE FROM lightning_nodes WHERE store_id IS NOT NULL");
    api.ctx.settings.storeLightning = "everyone";
    api.ctx.settings.maxLightningNodes = 1_000;
    shop = await api.store();
    owner = await testUser(api);
    await join(api, owner, shop.storeId, "owner");
  });

  const PATH = "/payment-methods/BTC-LN";
  const byKey = (method: string, body?: unknown, rest = "", { storeId, apiKey } = shop): Promise<Answer> =>
    api.call(method, `/stores/${storeId}${PATH}${rest}`, { key: apiKey, body });
  const byOwner = (method: string, body?: unknown, rest = "", { storeId } = shop): Promise<Answer> =>
    owner.call(method, `/stores/${storeId}${PATH}${rest}`, { body });
  const partsOf = ({ grpc }: SimulatedLnd) => ({
    address: grpc.url,
    tlsCertificate: grpc.tlsCert,
    macaroon: grpc.quittanceMacaroon.toString("hex"),
  });
  const uriOf = ({ grpc }: SimulatedLnd): string => {
    const der = Buffer.from(grpc.tlsCert.replace(/-----[^-]+-----|\s/g, ""), "base64").toString("base64url");
    return `lndconnect://${grpc.url}?cert=${der}&macaroon=${grpc.quittanceMacaroon.toString("base64url")}`;
  };
  const rows = (storeId = shop.storeId): Promise<LightningNode[]> =>
    api.db.manager.find(LightningNode, { where: { storeId }, order: { createdAt: "ASC" } });
  const told = ({ status, json }: Answer) => [status, json.code];

  it("is connected by an lndconnect URI, and shown without certificate and macaroon", async () => {
    const { status, json, text } = await byKey("PUT", { lndconnect: uriOf(node) });
    expect(status, text).to.equal(200);
    expect(json).to.include({
      ...{ type: "BTC-LN", node: "store", address: node.grpc.url, nodeKey: node.nodeKey },
      ...{ network: "regtest", state: "unchecked", problem: null },
    });
    expect(text).not.to.include(node.grpc.quittanceMacaroon.toString("hex").slice(20, 60));
    expect(text).not.to.include("CERTIFICATE");
    expect((await byKey("GET")).json).to.deep.equal(json);
    const [row] = await rows();
    expect(row?.macaroon?.includes(node.grpc.quittanceMacaroon)).to.equal(false);
    const method = await api.db.manager.findOneBy(StorePaymentMethod, {
      storeId: shop.storeId,
      type: "BTC-LN",
    });
    expect(method?.lightningNodeId).to.equal(row?.id);
  });

  it("is audited without secrets, and the owners are alerted", async () => {
    await byKey("PUT", partsOf(node));
    const [entry] = await api.db.query<{ details: unknown }[]>(
      "SELECT details FROM audit_log WHERE store_id = $1 AND action = 'lightning.node-connected'",
      [shop.storeId],
    );
    const [{ id } = { id: "" }] = await rows();
    expect(entry?.details).to.deep.equal({
      from: null,
      to: { id, address: node.grpc.url, nodeKey: node.nodeKey },
    });
    const alerts = (await api.call("GET", `/stores/${shop.storeId}/alerts`, { key: shop.apiKey })).json.data;
    expect(alerts[0]).to.include({ kind: "wallet-changed", severity: "critical" });
    // Of this kind each alert is mailed to all owners: wallet-changes-by-key.test.ts.
    expect(alerts[0]?.["message"]).to.include("The Lightning node that payments go to was connected");
  });

  it("is no alert that somebody has to end where an owner connects the store's first, and one where it replaces another", async () => {
    const alerts = (): Promise<unknown> =>
      api.db.query(
        "SELECT severity, resolved_at IS NULL AS open FROM alerts WHERE kind = 'wallet-changed' AND store_id = $1 ORDER BY at",
        [shop.storeId],
      );
    await byOwner("PUT", partsOf(node));
    const told = { severity: "info", open: false };
    expect(await alerts()).to.deep.equal([told]);
    await byOwner("DELETE");
    await byOwner("PUT", partsOf(node));
    const alert = { severity: "critical", open: true };
    expect(await alerts()).to.deep.equal([told, alert, alert]);
  });

  it("is checked alone, step by step, and nothing is stored", async () => {
    const { json } = await byKey("POST", partsOf(node), "/check");
    expect(json).to.include({ passed: true });
    expect((json["steps"] as { step: string }[]).map(({ step }) => step)).to.have.length(10);
    expect(await rows()).to.deep.equal([]);
    const failing = await byKey("POST", { ...partsOf(node), address: "nowhere.invalid:1" }, "/check");
    expect(failing.json).to.include({ passed: false });
    expect(told(await byKey("POST", {}, "/check"))).to.deep.equal([404, "payment-method-not-found"]);
    await byKey("PUT", partsOf(node));
    expect((await byKey("POST", {}, "/check")).json).to.include({ passed: true });
  });

  it("is refused at the field that a failed step is about", async () => {
    const macaroon = node.grpc.adminMacaroon.toString("hex");
    const spending = await byOwner("PUT", { ...partsOf(node), macaroon });
    expect([spending.status, pointers(spending)]).to.deep.equal([422, ["/macaroon"]]);
    expect(spending.text).to.include("bakemacaroon");
    const noUri = await byOwner("PUT", { lndconnect: "https://node.example.com" });
    expect([noUri.status, pointers(noUri)]).to.deep.equal([422, ["/lndconnect"]]);
    expect(pointers(await byOwner("PUT", {}))).to.deep.equal(["/address"]);
    expect(pointers(await byOwner("PUT", { node: "server", ...partsOf(node) }))).to.deep.equal(["/node"]);
    expect(await rows()).to.deep.equal([]);
  });

  it("is set first by a key, and replaced or removed by one only with walletChangesByKey", async () => {
    expect((await byKey("PUT", partsOf(node))).status).to.equal(200);
    expect(told(await byKey("PUT", partsOf(node)))).to.deep.equal([403, "dashboard-only"]);
    expect(told(await byKey("DELETE"))).to.deep.equal([403, "dashboard-only"]);
    expect((await byOwner("DELETE")).status).to.equal(204);
    expect(told(await byKey("PUT", partsOf(node)))).to.deep.equal([403, "dashboard-only"]);
    await owner.call("PUT", `/stores/${shop.storeId}/wallet-changes-by-key`, { body: { allowed: true } });
    expect((await byKey("PUT", partsOf(node))).status).to.equal(200);
    expect((await byKey("DELETE")).status).to.equal(204);
    expect(told(await byKey("GET"))).to.deep.equal([404, "payment-method-not-found"]);
  });

  it("stays the same with another macaroon, and is retired by another node", async () => {
    await byOwner("PUT", partsOf(node));
    const invoiceMacaroon = node.grpc.invoiceMacaroon.toString("hex");
    await byOwner("PUT", { ...partsOf(node), macaroon: invoiceMacaroon });
    expect((await rows()).map(({ state }) => state)).to.deep.equal(["active"]);
    const other = await SimulatedLnd.start();
    try {
      expect((await byOwner("PUT", partsOf(other))).json).to.include({ nodeKey: other.nodeKey });
      expect((await rows()).map(({ state }) => state)).to.deep.equal(["retired", "active"]);
    } finally {
      await other.stop();
    }
  });

  it("that was removed is forgotten by hand in the dashboard, by an owner", async () => {
    const former = (method: string): Promise<Answer> =>
      owner.call(method, `/stores/${shop.storeId}/lightning/former`);
    await byOwner("PUT", partsOf(node));
    await byOwner("DELETE");
    const waiting = { address: node.grpc.url, nodeKey: node.nodeKey, invoices: [] };
    expect((await former("GET")).json.data[0]).to.deep.include(waiting);
    expect((await former("DELETE")).status).to.equal(204);
    expect((await former("GET")).json.data).to.deep.equal([]);
    expect((await rows())[0]).to.include({ state: "retired", macaroon: null, tlsCertificate: null });
  });

  it("of another store is connected only by an owner of both", async () => {
    const other = await api.store();
    await byKey("PUT", partsOf(node), "", other);
    expect(told(await byOwner("PUT", partsOf(node)))).to.deep.equal([409, "wallet-in-use"]);
    await join(api, owner, other.storeId, "owner");
    expect((await byOwner("PUT", partsOf(node))).status).to.equal(200);
  });

  it("is connected by whom STORE_LIGHTNING says, up to MAX_LIGHTNING_NODES", async () => {
    api.ctx.settings.storeLightning = "admins";
    expect(told(await byOwner("PUT", partsOf(node)))).to.deep.equal([403, "admin-only"]);
    expect(told(await byKey("POST", partsOf(node), "/check"))).to.deep.equal([403, "admin-only"]);
    api.ctx.settings.storeLightning = "everyone";
    api.ctx.settings.maxLightningNodes = 0;
    expect(told(await byOwner("PUT", partsOf(node)))).to.deep.equal([409, "limit-reached"]);
  });

  it("is one of at most MAX_LIGHTNING_NODES, also when two are connected at once", async () => {
    api.ctx.settings.maxLightningNodes = 1;
    const [other, second] = [await api.store(), await SimulatedLnd.start()];
    try {
      const answers = await Promise.all([
        byKey("PUT", partsOf(node)),
        byKey("PUT", partsOf(second), "", other),
      ]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    } finally {
      await second.stop();
    }
  });

  it("is connected in the dashboard while its steps are watched", async () => {
    const connect = (body: unknown): Promise<Answer> =>
      owner.call("POST", `/stores/${shop.storeId}/lightning/connect`, { body });
    const refused = await connect({ ...partsOf(node), address: "node" });
    expect(told(refused)).to.deep.equal([422, "validation-failed"]);
    const failed = (await connect({ ...partsOf(node), address: "nowhere.invalid:1" })).text;
    expect(failed.match(/^event: .*$/gm)).to.deep.equal(["event: step", "event: step", "event: failed"]);
    const { text } = await connect({ lndconnect: uriOf(node) });
    expect(text.match(/^event: .*$/gm)).to.deep.equal([
      ...Array<string>(10).fill("event: step"),
      "event: connected",
    ]);
    expect((await byKey("GET")).json).to.include({ nodeKey: node.nodeKey });
  });

  it("whose certificate was renewed is taken by one click, and another node only when it is confirmed", async () => {
    const reconnect = async (otherNode: boolean): Promise<string> =>
      (await owner.call("POST", `/stores/${shop.storeId}/lightning/reconnect`, { body: { otherNode } })).text;
    await byOwner("PUT", partsOf(node));
    const [{ tlsCertificate: former } = { tlsCertificate: null }] = await rows();
    await node.restart({ newCertificate: true });
    expect(await reconnect(false)).to.include("event: connected");
    const [{ tlsCertificate: present, state } = { tlsCertificate: null, state: null }] = await rows();
    expect(present).not.to.equal(former);
    expect(state).to.equal("active");
    await api.db.manager.update(LightningNode, { storeId: shop.storeId }, { otherKey: "02".repeat(33) });
    expect((await byKey("GET")).json).to.include({ state: "other-node" });
  });

  it("whose certificate expires within 14 days is an alert of the store, until it is another", async () => {
    const open = async (): Promise<unknown[]> => {
      await watchCertificates(api.ctx);
      return api.db.query(
        "SELECT store_id AS \"storeId\", severity FROM alerts WHERE kind = 'lightning-certificate' AND resolved_at IS NULL",
      );
    };
    await byOwner("PUT", partsOf(node));
    const { validTo } = describeCertificate(node.grpc.tlsCert);
    api.ctx.clock.freeze(new Date(validTo.getTime() - 15 * 86_400_000));
    expect(await open()).to.deep.equal([]);
    api.ctx.clock.advance(2 * 86_400_000);
    expect(await open()).to.deep.equal([{ storeId: shop.storeId, severity: "warning" }]);
    api.ctx.clock.advance(-2 * 86_400_000);
    expect(await open()).to.deep.equal([]);
  });
});
