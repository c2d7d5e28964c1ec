import { expect } from "chai";
import { roleNeeded } from "../../../api/dashboard/authenticate-user";
import { SESSION_ROUTES } from "../../../api/route-table";
import { changeWebhook } from "../../../commands/webhooks/change-webhook";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { createInvoice } from "../../../commands/invoices/create-invoice";
import { createWebhook } from "../../../commands/webhooks/create-webhook";
import { readEvents } from "../../support/event-reader";
import { eventually } from "../../support/eventually";
import { startApi, type TestApi } from "../server";
import { join, testUser, type TestUser } from "./user";

const SECRET = "T024-B1-s3cr3t-path";
const URL_WHOLE = `http://93.184.216.34/services/${SECRET}?token=${SECRET}`;
const URL_SHORT = "http://93.184.216.34/…";

describe("dashboard: a webhook's URL", () => {
  let api: TestApi;
  let ids: Record<string, string>;
  let viewer: TestUser;
  before(async () => (api = await startApi()));
  after(() => api.stop());
  beforeEach(async () => {
    const { storeId } = await api.store();
    const { webhook } = await createWebhook(api.ctx, { storeId, url: URL_WHOLE });
    const { invoice } = await createInvoice(api.ctx, storeId, { amount: "1000", currency: "SATS" });
    await changeInvoice(api.ctx, invoice.id);
    const [delivery] = await api.db.query<[{ id: string }]>(
      "SELECT id FROM webhook_deliveries WHERE store_id = $1",
      [storeId],
    );
    ids = { storeId, webhookId: webhook.id, invoiceId: invoice.id, deliveryId: delivery.id };
    viewer = await testUser(api);
    await join(api, viewer, storeId, "viewer");
  });
  it("is only its origin in whatever a viewer may read, because its path may be a secret", async () => {
    const readable = SESSION_ROUTES.filter(
      (route) =>
        route.method === "get" &&
        route.path.startsWith("/stores/:storeId") &&
        !route.path.endsWith("/stream") &&
        roleNeeded(route) === "viewer",
    );
    const naming: string[] = [];
    for (const { path } of readable) {
      const filled = path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? "none");
      const { text, status } = await viewer.call("GET", filled);
      expect(status, path).to.be.oneOf([200, 404, 422, 503]);
      expect(text, path).not.to.include(SECRET);
      if (text.includes(JSON.stringify(URL_SHORT))) naming.push(path);
    }
    expect(naming).to.have.members([
      "/stores/:storeId/home",
      "/stores/:storeId/webhooks",
      "/stores/:storeId/webhooks/:webhookId",
    ]);
  });

  it("is not sent to a viewer by the stream when the webhook changes", async () => {
    const { storeId = "", webhookId = "" } = ids;
    const told: string[] = [];
    const page = await readEvents(`${api.base}/api/dashboard/stores/${storeId}/stream`, {
      headers: { cookie: viewer.cookie },
      hear: ({ data }) => told.push(data),
    });
    let tries = 0;
    await eventually(async () => {
      await changeWebhook(api.ctx, storeId, webhookId, { url: `${URL_WHOLE}&try=${(tries += 1)}` });
      return told.some((data) => data.includes(webhookId));
    });
    page.close();
    expect(told.join()).not.to.include(SECRET);
  });

  it("is complete for members and owners, and by key", async () => {
    const { storeId = "" } = ids;
    for (const role of ["member", "owner"] as const) {
      await join(api, viewer, storeId, role);
      for (const path of [`/stores/${storeId}/webhooks`, `/stores/${storeId}/home`])
        expect((await viewer.call("GET", path)).text, role).to.include(JSON.stringify(URL_WHOLE));
    }
    const { storeId: own, apiKey } = await api.store();
    await createWebhook(api.ctx, { storeId: own, url: URL_WHOLE });
    const listed = await api.call("GET", `/stores/${own}/webhooks`, { key: apiKey });
    expect(listed.text).to.include(JSON.stringify(URL_WHOLE));
  });
});
