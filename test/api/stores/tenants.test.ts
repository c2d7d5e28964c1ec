import { expect } from "chai";
import { createApiKey } from "../../../commands/stores/api-key";
import { NOT_FOUND, pathParameters } from "../../../api/http/operation-errors";
import type { Route } from "../../../api/http/route";
import { ROUTES } from "../../../api/route-table";
import { startApi, type TestApi, type TestStore } from "../server";

const OF_STORE = ROUTES.filter(({ path }) => path.startsWith("/stores/:storeId"));

describe("API: one store's key and another store", () => {
  let api: TestApi;
  let mine: TestStore;
  let theirs: TestStore;
  let ids: Record<string, string>;
  before(async () => {
    api = await startApi();
    [mine, theirs] = [await api.store(), await api.store()];
    const post = async (rest: string, body: object) => {
      const answer = await api.call("POST", `/stores/${theirs.storeId}${rest}`, { key: theirs.apiKey, body });
      expect(answer.status, answer.text).to.equal(201);
      return answer.json;
    };
    const { webhookId } = await post("/webhooks", { url: "http://127.0.0.1:9/hook" });
    const { invoiceId } = await post("/invoices", { amount: "1000", currency: "SATS" });
    const [delivery] = await api.db.query<[{ id: string }]>("SELECT id FROM webhook_deliveries");
    const { record } = await createApiKey(api.ctx, { storeId: theirs.storeId, name: "till" });
    ids = { invoiceId, webhookId, deliveryId: delivery.id, keyId: record.id };
  });
  after(() => api.stop());

  const filled = ({ path }: Route, values: Record<string, string>) =>
    path.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? "");
  /** A body that is valid everywhere, so that nothing but the wall stands in the way. */
  const BODIES: Record<string, object> = {
    createInvoice: { amount: "1000", currency: "SATS" },
    markInvoice: { status: "Invalid" },
    createWebhook: { url: "http://127.0.0.1:9/hook" },
    createApiKey: { name: "thief" },
  };
  const bodyOf = ({ operationId, body }: Route) => (body === null ? undefined : (BODIES[operationId] ?? {}));
  const rows = () =>
    api.db.query<object[]>(
      `SELECT (SELECT json_agg(s) FROM stores s)::text, (SELECT json_agg(i) FROM invoices i)::text,
              (SELECT json_agg(w) FROM webhooks w)::text, (SELECT json_agg(d) FROM webhook_deliveries d)::text,
              (SELECT count(*) FROM api_keys)::text, (SELECT json_agg(a) FROM audit_log a)::text`,
    );

  for (const route of OF_STORE)
    it(`${route.operationId} is refused with store-mismatch`, async () => {
      const path = filled(route, { ...ids, storeId: theirs.storeId });
      const before = await rows();
      const answer = await api.call(route.method.toUpperCase(), path, {
        key: mine.apiKey,
        body: bodyOf(route),
      });
      expect([answer.status, answer.json.code], answer.text).to.deep.equal([403, "store-mismatch"]);
      expect(await rows()).to.deep.equal(before);
    });

  for (const route of OF_STORE.filter(({ path }) => pathParameters(path).length > 1))
    it(`${route.operationId} finds nothing of theirs below the key's own store`, async () => {
      const path = filled(route, { ...ids, storeId: mine.storeId });
      const [, name = ""] = pathParameters(route.path);
      const before = await rows();
      const answer = await api.call(route.method.toUpperCase(), path, {
        key: mine.apiKey,
        body: bodyOf(route),
      });
      expect([answer.status, answer.json.code], answer.text).to.deep.equal([404, NOT_FOUND[name]]);
      expect(await rows()).to.deep.equal(before);
    });
});
