import { expect } from "chai";
import { apiKeyPage } from "../../../api/api-keys/answer";
import { connectedAnswer, connectionAnswer } from "../../../api/dashboard/stores/connection-request";
import { SERVED_POLICIES } from "../../../domain/greenfield/permissions";
import { ApiKey } from "../../../entities/api-key";
import { Alert } from "../../../entities/alert";
import { AuditEntry } from "../../../entities/audit-entry";
import { Store } from "../../../entities/store";
import { plugin } from "../greenfield/plugin";
import { startApi, type Answer, type TestApi, type TestStore } from "../server";
import { join, testUser, type TestUser } from "./user";

const SHOP = "https://shop.example";
const BODY = {
  permissions: [...SERVED_POLICIES],
  applicationName: "Web shop",
  redirects: [`${SHOP}/callback?secret=from-the-shop`],
  mayFrameCheckout: false,
};

describe("dashboard: a key for an application", () => {
  let api: TestApi;
  let shop: TestStore;
  let owner: TestUser;
  before(async () => (api = await startApi()));
  after(() => api.stop());
  beforeEach(async () => {
    shop = await api.store();
    owner = await testUser(api);
    await join(api, owner, shop.storeId, "owner");
  });
  const connect = (body: object = BODY, user = owner) =>
    user.call("POST", `/stores/${shop.storeId}/connections`, { body });
  const code = ({ status, json }: Answer) => [status, json["code"]];
  const origins = async () =>
    (await api.db.manager.findOneByOrFail(Store, { id: shop.storeId })).checkoutOrigins;
  const count = () => api.db.manager.countBy(ApiKey, { storeId: shop.storeId });

  it("is described before it is given, and nothing is made by that", async () => {
    const { mayFrameCheckout, ...request } = BODY;
    const before = await count();
    const answer = await owner.call("POST", "/connections/read", {
      body: { ...request, permissions: [...SERVED_POLICIES, "unrestricted"] },
    });
    expect(connectionAnswer.parse(answer.json)).to.deep.equal({
      name: "Web shop",
      redirectOrigin: SHOP,
      given: SERVED_POLICIES,
      notGiven: ["unrestricted"],
    });
    expect([mayFrameCheckout, await count()]).to.deep.equal([false, before]);
  });

  it("is made with its permissions, for the dialect of plugins only, and recorded without its text", async () => {
    const answer = await connect();
    expect(answer.status, answer.text).to.equal(201);
    const { apiKey: key, ...rest } = connectedAnswer.parse(answer.json);
    const permissions = SERVED_POLICIES.map((policy) => `${policy}:${shop.storeId}`);
    expect(rest).to.deep.equal({ userId: owner.userId, permissions, redirect: BODY.redirects[0] });
    expect(key).to.match(/^sktest[0-9A-Za-z]{49}$/);

    const current = await plugin(api.base, "GET", "/api-keys/current", { key });
    expect(current.json).to.deep.equal({ apiKey: key, label: "Web shop", permissions });
    const native = key.replace("sktest", "sk_test_");
    expect(code(await api.call("GET", `/stores/${shop.storeId}`, { key: native }))).to.deep.equal([
      403,
      "plugin-key",
    ]);

    const listed = await owner.call("GET", `/stores/${shop.storeId}/api-keys`);
    const [first, second] = apiKeyPage.parse(listed.json).data;
    expect([first?.permissions, second?.permissions]).to.deep.equal([SERVED_POLICIES, null]);
    const { details } = await api.db.manager.findOneByOrFail(AuditEntry, { subject: first?.id ?? "" });
    expect(details).to.deep.include({ name: "Web shop", sentTo: SHOP, permissions: SERVED_POLICIES });
    expect(JSON.stringify(details)).not.to.include("from-the-shop");
    expect(JSON.stringify(details)).not.to.include(key.slice(14));
  });

  it("lists the application's website for the checkout only if that is wanted, once, and records it", async () => {
    await connect();
    expect(await origins()).to.deep.equal([]);
    for (const _ of [1, 2]) expect((await connect({ ...BODY, mayFrameCheckout: true })).status).to.equal(201);
    expect(await origins()).to.deep.equal([SHOP]);
    const changes = await api.db.manager.findBy(AuditEntry, {
      action: "store.changed",
      storeId: shop.storeId,
    });
    expect(changes.map(({ actorId, details }) => [actorId, details])).to.deep.equal([
      [owner.userId, { checkoutOrigins: [[], [SHOP]] }],
    ]);
    const alerts = await api.db.manager.findBy(Alert, { kind: "settings-weakened", storeId: shop.storeId });
    expect(alerts.map(({ message }) => message))
      .to.have.length(1)
      .and.satisfy(([message = ""]: string[]) => message.includes("checkoutOrigins were changed by a user"));
  });

  it("is not made when the store lists as many websites as it may", async () => {
    const full = Array.from({ length: 20 }, (_, n) => `https://shop-${n}.example`);
    await api.db.manager.update(Store, shop.storeId, { checkoutOrigins: full });
    const before = await count();
    const answer = await connect({ ...BODY, mayFrameCheckout: true });
    expect(code(answer)).to.deep.equal([422, "validation-failed"]);
    expect(answer.json["errors"]).to.deep.equal([
      { pointer: "/mayFrameCheckout", message: "The store lists 20 websites already. Remove one first." },
    ]);
    expect([await count(), await origins()]).to.deep.equal([before, full]);
  });

  it("needs a redirect for a website that frames the checkout", async () => {
    const body = { ...BODY, redirects: [] };
    const answer = await connect({ ...body, mayFrameCheckout: true });
    expect(answer.json["errors"]).to.deep.equal([
      {
        pointer: "/mayFrameCheckout",
        message: "Needs a redirect: its website would frame the checkout.",
      },
    ]);
    const shown = await connect(body);
    expect([shown.status, shown.json["redirect"]]).to.deep.equal([201, null]);
  });

  for (const [what, change] of [
    ["two redirects", { redirects: [...BODY.redirects, ...BODY.redirects] }],
    ["51 permissions", { permissions: Array.from({ length: 51 }, (_, n) => `p${n}`) }],
  ] as const)
    it(`is not made for ${what}`, async () => {
      const before = await count();
      expect(code(await connect({ ...BODY, ...change }))).to.deep.equal([422, "validation-failed"]);
      expect(await count()).to.equal(before);
    });
});
