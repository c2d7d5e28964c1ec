import { expect } from "chai";
import { createApiKey } from "../../../commands/stores/api-key";
import { KEY_ACCESS, type KeyAccess } from "../../../domain/account/key-access";
import { roleReaches } from "../../../domain/account/store-role";
import { roleNeeded } from "../../../api/dashboard/authenticate-user";
import { ROUTES } from "../../../api/route-table";
import { templatedPath } from "../../../api/openapi/operation";
import { plugin } from "../greenfield/plugin";
import { filledPath, makeWorld, startExampleApi, type ExampleWorld } from "../example-world";
import type { Answer, TestApi } from "../server";

/** Every operation that a key with less than full access may use. A new one is added knowingly. */
const INVOICES = [
  "readServerInfo",
  "readCurrentApiKey",
  "exportInvoices",
  "listInvoices",
  "readInvoice",
  "listInvoiceHistory",
  "readRates",
  "readEvents",
  "readDescription",
];
const MAY = {
  read: [
    ...INVOICES,
    "readStore",
    "readWallet",
    "readLightning",
    "listPaymentMethods",
    "listAlerts",
    "listReviews",
    "listPayments",
    "sumPayments",
    "exportPayments",
    "listPaymentLinks",
    "readPaymentLink",
    "readReport",
    "listWebhooks",
    "readWebhook",
    "listDeliveries",
    "readDelivery",
  ],
  "create-and-read-invoices": [...INVOICES, "createInvoice", "checkInvoice", "activateOnchain"],
} as const;
const LESSER = ["create-and-read-invoices", "read"] as const;

describe("API: keys with less than full access", () => {
  let api: TestApi;
  let world: ExampleWorld;
  let keys: Record<KeyAccess, string>;
  before(async () => {
    api = await startExampleApi();
    world = await makeWorld(api);
    const keyOf = async (access: KeyAccess): Promise<string> =>
      (await createApiKey(api.ctx, { storeId: store(), name: access, access })).apiKey;
    keys = {
      full: world.apiKey,
      "create-and-read-invoices": await keyOf("create-and-read-invoices"),
      read: await keyOf("read"),
    };
  });
  after(() => api.stop());

  const store = (): string => world.ids["storeId"] ?? "";
  const call = (access: KeyAccess, method: string, rest: string, body?: unknown, headers = {}) =>
    api.call(method, `/stores/${store()}${rest}`, { key: keys[access], body, headers });
  const isRefused = ({ status, json: { code } }: Answer): boolean =>
    status === 403 && code === "permission-missing";

  for (const access of LESSER)
    it(`of all routes exactly the declared ones are reached, and the refusal names what is missing: ${access}`, async () => {
      const reached: string[] = [];
      for (const { method, path, operationId } of ROUTES) {
        const at = filledPath(templatedPath(path), world);
        const answer = await api.call(method.toUpperCase(), at, { key: keys[access] });
        if (!isRefused(answer)) reached.push(operationId);
        else
          expect(answer.json["detail"], operationId).to.match(
            new RegExp(`requires an API key with the access full.*; this one has ${access}\\.`),
          );
      }
      expect(reached).to.have.members([...MAY[access]]);
    });

  it("reading is never more than a viewer of the dashboard may, and nothing that changes something", () => {
    for (const route of ROUTES.filter(({ access }) => access?.includes("read"))) {
      expect(route.method, route.operationId).to.equal("get");
      expect(roleReaches("viewer", roleNeeded(route)), route.operationId).to.equal(true);
    }
  });

  it("is chosen at creation, shown in lists and by the key, and in the audit log; full by default", async () => {
    const created = async (body: object): Promise<Answer> => call("full", "POST", "/api-keys", body);
    const read = await created({ name: "reports", access: "read" });
    expect([read.status, read.json["access"], read.json["permissions"]]).to.deep.equal([201, "read", null]);
    expect((await created({ name: "shop" })).json["access"]).to.equal("full");
    const wrong = await created({ name: "x", access: "write" });
    expect([wrong.status, wrong.json.errors.map(({ pointer }) => pointer)]).to.deep.equal([422, ["/access"]]);
    const { json } = await call("full", "GET", "/api-keys");
    expect(json.data.slice(0, 2).map(({ name, access }) => [name, access])).to.deep.equal([
      ["shop", "full"],
      ["reports", "read"],
    ]);
    const key = String(read.json["apiKey"]);
    const current = await api.call("GET", `/stores/${store()}/api-keys/current`, { key });
    expect(current.json["access"]).to.equal("read");
    const entries = await api.db.query<{ access: string }[]>(
      "SELECT details ->> 'access' AS access FROM audit_log WHERE action = 'api-key.created' AND details ->> 'name' = 'reports'",
    );
    expect(entries).to.deep.equal([{ access: "read" }]);
  });

  it("a replay by Idempotency-Key is refused to a key that may not create, and given to one that may", async () => {
    const body = { amount: "25000", currency: "SATS" };
    const again = (access: KeyAccess) =>
      call(access, "POST", "/invoices", body, { "idempotency-key": "order-1" });
    const first = await again("create-and-read-invoices");
    expect(first.status, first.text).to.equal(201);
    expect(isRefused(await again("read"))).to.equal(true);
    expect((await again("full")).text).to.equal(first.text);
    expect((await call("read", "GET", `/invoices/${first.json.invoiceId}`)).status).to.equal(200);
  });

  it("reads webhooks without what their URLs hide, as a viewer does", async () => {
    const url = "https://shop.example/hook?token=hidden";
    expect((await call("full", "POST", "/webhooks", { url })).status).to.equal(201);
    const { text } = await call("read", "GET", "/webhooks");
    expect(text).to.include("https://shop.example/…").and.not.to.include("hidden");
  });

  it("a key whose row was changed by hand gives nothing", async () => {
    const { apiKey, record } = await createApiKey(api.ctx, { storeId: store(), name: "x", access: "read" });
    const use = () => api.call("GET", `/stores/${store()}/invoices`, { key: apiKey });
    expect((await use()).status).to.equal(200);
    for (const permissions of [
      null,
      ["full"],
      ["create-and-read-invoices"],
      ["btcpay.store.canviewinvoices"],
    ]) {
      await api.db.query("UPDATE api_keys SET permissions = $2 WHERE id = $1", [record.id, permissions]);
      expect((await use()).status, String(permissions)).to.equal(401);
    }
  });

  it("in the dialect of shop plugins it has the policies of what it may do natively, and no other", async () => {
    const at = `/stores/${store()}`;
    const ask = (access: KeyAccess, method: string, path: string) =>
      plugin(api.base, method, path, { key: keys[access], ...(method === "GET" ? {} : { body: {} }) });
    const policies = {
      full: [
        "canviewinvoices",
        "cancreateinvoice",
        "canviewstoresettings",
        "canmodifyinvoices",
        "webhooks.canmodifywebhooks",
      ],
      "create-and-read-invoices": ["canviewinvoices", "cancreateinvoice"],
      read: ["canviewinvoices", "canviewstoresettings"],
    };
    for (const access of KEY_ACCESS) {
      const { json } = await ask(access, "GET", "/api-keys/current");
      expect(json.permissions, access).to.deep.equal(
        policies[access].map((name) => `btcpay.store.${name}:${store()}`),
      );
    }
    for (const [access, method, path, missing] of [
      ["read", "POST", `${at}/invoices`, "btcpay.store.cancreateinvoice"],
      ["read", "GET", `${at}/webhooks`, "btcpay.store.webhooks.canmodifywebhooks"],
      ["create-and-read-invoices", "GET", at, "btcpay.store.canviewstoresettings"],
    ] as const) {
      const { status, json } = await ask(access, method, path);
      expect([status, json.code, json["missingPermission"]]).to.deep.equal([
        403,
        "missing-permission",
        missing,
      ]);
    }
  });
});
