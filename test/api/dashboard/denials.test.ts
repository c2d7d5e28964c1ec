import { expect } from "chai";
import { roleNeeded } from "../../../api/dashboard/authenticate-user";
import type { DashboardRoute } from "../../../api/dashboard/route";
import { NOT_FOUND, pathParameters } from "../../../api/http/operation-errors";
import { PUBLIC_ROUTES, ROUTES, SESSION_ROUTES } from "../../../api/route-table";
import { createApiKey } from "../../../commands/stores/api-key";
import { roleReaches, STORE_ROLES, type StoreRole } from "../../../domain/account/store-role";
import { send, startApi, type Answer, type TestApi, type TestStore } from "../server";
import { join, testUser, type TestUser } from "./user";

const name = ({ method, path }: DashboardRoute) => `${method.toUpperCase()} ${path}`;
const ofStore = SESSION_ROUTES.filter(({ path }) => path.startsWith("/stores/:storeId"));
const ofAdmins = SESSION_ROUTES.filter(({ admin }) => admin === true);
const live = (route: DashboardRoute) => route.path.endsWith("/stream");

/**
 * What the first check of a request refuses, whoever it comes from: callers without rights must not learn anything
 * else.
 */
const DENIED = ["unauthenticated", "store-mismatch", "role-insufficient", "admin-only"];

describe("dashboard: access denied", () => {
  let api: TestApi;
  let shop: TestStore;
  let elsewhere: TestStore;
  let ids: Record<string, string>;
  let stranger: TestUser;
  let admin: TestUser;
  const people = new Map<StoreRole, TestUser>();

  before(async () => {
    api = await startApi();
    [shop, elsewhere] = [await api.store(), await api.store()];
    const post = async (rest: string, body: object) => {
      const answer = await api.call("POST", `/stores/${shop.storeId}${rest}`, { key: shop.apiKey, body });
      expect(answer.status, answer.text).to.equal(201);
      return answer.json;
    };
    const { webhookId } = await post("/webhooks", { url: "http://127.0.0.1:9/hook" });
    const { invoiceId } = await post("/invoices", { amount: "1000", currency: "SATS" });
    const [delivery] = await api.db.query<[{ id: string }]>("SELECT id FROM webhook_deliveries");
    const { record } = await createApiKey(api.ctx, { storeId: shop.storeId, name: "till" });
    await api.db.query(
      `INSERT INTO alerts (id, kind, severity, subject, store_id, message) VALUES ('alr_1', 'gap-limit', 'info', 's', $1, 'secret of the shop')`,
      [shop.storeId],
    );
    stranger = await testUser(api);
    await join(api, stranger, elsewhere.storeId, "owner");
    admin = await testUser(api, { admin: true });
    for (const role of STORE_ROLES) {
      const user = await testUser(api);
      await join(api, user, shop.storeId, role);
      people.set(role, user);
    }
    ids = {
      invoiceId,
      webhookId,
      deliveryId: delivery.id,
      keyId: record.id,
      alertId: "alr_1",
      userId: admin.userId,
    };
  });
  after(() => api.stop());

  const filled = ({ path }: DashboardRoute, values: Record<string, string>) =>
    path.replaceAll(/:(\w+)/g, (_, part: string) => values[part] ?? "none");
  /** An empty body: if it is not enough, callers with the right get 422 and nothing is changed. */
  const ask = (user: TestUser, route: DashboardRoute, storeId = shop.storeId) =>
    user.call(
      route.method.toUpperCase(),
      filled(route, { ...ids, storeId }),
      route.body === null ? {} : { body: {} },
    );
  const told = ({ status, json }: Answer) => [status, json.code];
  const rows = () =>
    api.db.query<object[]>(
      `SELECT (SELECT json_agg(s ORDER BY id) FROM stores s)::text, (SELECT json_agg(i ORDER BY id) FROM invoices i)::text,
              (SELECT json_agg(w ORDER BY id) FROM webhooks w)::text, (SELECT json_agg(d ORDER BY id) FROM webhook_deliveries d)::text,
              (SELECT json_agg(a ORDER BY id) FROM alerts a)::text, (SELECT json_agg(u ORDER BY id) FROM users u)::text,
              (SELECT json_agg(m ORDER BY user_id) FROM store_members m)::text,
              (SELECT count(*) FROM api_keys)::text, (SELECT count(*) FROM audit_log)::text`,
    );

  it("covers every route of the API except those about the key itself", () => {
    const missing = ROUTES.filter((route) => !SESSION_ROUTES.includes(route)).map(
      ({ operationId }) => operationId,
    );
    expect(missing.sort()).to.deep.equal(["readCurrentApiKey", "readDescription"]);
    const twice = SESSION_ROUTES.map(name).filter((one, index, all) => all.indexOf(one) !== index);
    expect(twice).to.deep.equal([]);
  });

  for (const route of SESSION_ROUTES) {
    it(`${name(route)}: denied without a session, with a key, or with an ended session`, async () => {
      const before = await rows();
      const path = `/api/dashboard${filled(route, { ...ids, storeId: shop.storeId })}`;
      const headers = { "sec-fetch-site": "same-origin" };
      const over = { ...headers, cookie: "quittance-session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" };
      const options = route.body === null ? {} : { body: {} };
      for (const given of [{ headers }, { headers, key: shop.apiKey }, { headers: over }]) {
        const answer = await send(api.base, route.method.toUpperCase(), path, { ...options, ...given });
        expect(told(answer), answer.text).to.deep.equal([401, "unauthenticated"]);
      }
      expect(await rows()).to.deep.equal(before);
    });

    if (route.method !== "get")
      it(`${name(route)}: denied from another site, though the session is valid`, async () => {
        const path = filled(route, { ...ids, storeId: shop.storeId });
        const before = await rows();
        for (const headers of [
          { "sec-fetch-site": "cross-site" },
          { "sec-fetch-site": "same-site" },
          { "sec-fetch-site": "", origin: "https://evil.example" },
        ]) {
          const answer = await admin.call(route.method.toUpperCase(), path, { headers });
          expect(told(answer), answer.text).to.deep.equal([403, "cross-site-request"]);
        }
        expect(await rows()).to.deep.equal(before);
      });
  }

  for (const route of ofStore) {
    it(`${name(route)}: denied to users of other stores, as for a store that does not exist`, async () => {
      const before = await rows();
      const theirs = await ask(stranger, route);
      const nowhere = await ask(stranger, route, "1".repeat(44));
      expect(told(theirs), theirs.text).to.deep.equal([403, "store-mismatch"]);
      expect({ ...theirs.json, requestId: "" }).to.deep.equal({ ...nowhere.json, requestId: "" });
      expect(await rows()).to.deep.equal(before);
    });

    if (pathParameters(route.path).length > 1)
      it(`${name(route)}: finds nothing of another store below one's own`, async () => {
        const before = await rows();
        const [, part = ""] = pathParameters(route.path);
        const answer = await stranger.call(
          route.method.toUpperCase(),
          filled(route, { ...ids, storeId: elsewhere.storeId }),
          route.body === null ? {} : { body: {} },
        );
        if (answer.json.code === "validation-failed") return;
        expect(told(answer), answer.text).to.deep.equal([404, NOT_FOUND[part] ?? "user-not-found"]);
        expect(await rows()).to.deep.equal(before);
      });

    it(`${name(route)}: denied to roles below ${roleNeeded(route)}`, async () => {
      for (const role of STORE_ROLES.filter((one) => !roleReaches(one, roleNeeded(route)))) {
        const before = await rows();
        const user = people.get(role) as TestUser;
        const answer = await ask(user, route);
        expect(told(answer), `${role}: ${answer.text}`).to.deep.equal([403, "role-insufficient"]);
        expect(await rows()).to.deep.equal(before);
      }
    });
  }

  for (const route of SESSION_ROUTES.filter((one) => one.method === "get" && !live(one)))
    it(`${name(route)}: allowed to whoever may read it`, async () => {
      const wait = { status: 200 };
      for (const user of [admin, ...people.values()]) {
        const role = [...people].find(([, one]) => one === user)?.[0];
        if (role !== undefined && route.path.includes(":storeId") && !roleReaches(role, roleNeeded(route)))
          continue;
        if (route.admin === true && user !== admin) continue;
        const answer = await ask(user, route);
        expect(DENIED, answer.text).not.to.include(answer.json.code);
        expect([wait.status, 404, 422, 503], answer.text).to.include(answer.status);
      }
    });

  for (const route of ofAdmins)
    it(`${name(route)}: allowed to server admins only, not even the store's owner`, async () => {
      const before = await rows();
      for (const user of people.values()) {
        const answer = await ask(user, route);
        expect(answer.status, answer.text).to.equal(403);
        expect(["admin-only", "role-insufficient"]).to.include(answer.json.code);
      }
      expect(await rows()).to.deep.equal(before);
    });

  it("treats an impossible store id as a store that does not exist, for a server admin too", async () => {
    for (const user of [stranger, admin]) {
      const { status, json } = await user.call("GET", "/stores/%00/home");
      expect([status, json.code]).to.deep.equal([403, "store-mismatch"]);
    }
  });

  it("gives a session's cookie no access to /api/v1", async () => {
    for (const { path, method } of ROUTES) {
      const answer = await send(
        api.base,
        method.toUpperCase(),
        `/api/v1${path.replaceAll(/:(\w+)/g, (_, part: string) => ({ ...ids, storeId: shop.storeId })[part] ?? "none")}`,
        { headers: { cookie: admin.cookie, "sec-fetch-site": "same-origin" } },
      );
      expect(told(answer), answer.text).to.deep.equal([401, "unauthenticated"]);
    }
    expect(PUBLIC_ROUTES.length).to.be.greaterThan(0);
  });

  it("denies the next request after a membership ends", async () => {
    const user = await testUser(api);
    await join(api, user, shop.storeId, "owner");
    expect((await user.call("GET", `/stores/${shop.storeId}`)).status).to.equal(200);
    await join(api, user, shop.storeId, "viewer");
    expect((await user.call("GET", `/stores/${shop.storeId}/api-keys`)).json.code).to.equal(
      "role-insufficient",
    );
    await api.db.query("DELETE FROM store_members WHERE user_id = $1", [user.userId]);
    expect((await user.call("GET", `/stores/${shop.storeId}`)).json.code).to.equal("store-mismatch");
  });
});
