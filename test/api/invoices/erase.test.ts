import { expect } from "chai";
import { redeliverWebhooks } from "../../../commands/webhooks/redeliver-webhook";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { buildPayment } from "../../support/factories";
import { expectRefused, startApi, type TestApi, type TestStore } from "../server";

describe("API: erasing an invoice's customer data", () => {
  let api: TestApi;
  let shop: TestStore;
  let invoiceId: string;
  before(async () => (api = await startApi()));
  after(() => api.stop());
  beforeEach(async () => {
    shop = await api.store();
    await post("/webhooks", { url: "http://127.0.0.1:9/hook" });
    ({ invoiceId } = await post("/invoices", {
      amount: "100000",
      currency: "SATS",
      metadata: { email: "ann@example.com", orderId: "A-é" },
      description: "For Ann",
      redirectUrl: "https://shop.example/ann",
    }));
  });

  const call = (method: string, rest: string, body?: unknown) =>
    api.call(method, `/stores/${shop.storeId}${rest}`, { key: shop.apiKey, body });
  async function post(rest: string, body: object): Promise<{ invoiceId: string }> {
    const { status, text, json } = await call("POST", rest, body);
    expect(status, text).to.be.within(200, 201);
    return json;
  }
  const erase = () => call("POST", `/invoices/${invoiceId}/erase`);
  /** All deliveries were attempted, and the receiver answered with what it was sent. */
  const deliver = async (state = "delivered") => {
    await api.db.query(
      `INSERT INTO webhook_attempts (delivery_id, number, webhook_id, cause, state, response_body)
       SELECT id, 1, webhook_id, 'automatic', $2, 'ann@example.com' FROM webhook_deliveries WHERE invoice_id = $1
       ON CONFLICT (delivery_id, number) DO UPDATE SET state = $2`,
      [invoiceId, state === "pending" ? "failed" : state],
    );
    await api.db.query("UPDATE webhook_deliveries SET state = $2, attempt_count = 1 WHERE invoice_id = $1", [
      invoiceId,
      state,
    ]);
  };
  /** Every table's rows as text: whatever keeps something, it is seen. */
  const everything = async (): Promise<string> => {
    const tables = await api.db.query<{ name: string }[]>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const rows = await api.db.query<object[]>(`SELECT * FROM "${name}"`);
      texts.push(
        JSON.stringify(rows, (_, value: unknown) =>
          Buffer.isBuffer(value) || (value as { type?: string } | null)?.type === "Buffer"
            ? Buffer.from(value as Buffer).toString()
            : value,
        ),
      );
    }
    return texts.join("\n");
  };
  const audits = () =>
    api.db.query<object[]>(
      "SELECT actor_kind AS kind FROM audit_log WHERE action = 'invoice.erased' AND subject = $1",
      [invoiceId],
    );

  it("removes it everywhere, except the order id", async () => {
    await post(`/invoices/${invoiceId}/status`, { status: "Settled", note: "Ann paid in cash" });
    await deliver();
    expect(await everything()).to.match(/ann@example\.com/);
    const before = (await call("GET", `/invoices/${invoiceId}`)).json;
    const answer = await erase();
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.json).to.deep.equal({
      ...before,
      metadata: { orderId: "A-é" },
      description: null,
      redirectUrl: null,
    });
    expect(await everything()).not.to.match(/ann\b/i);
    expect(await audits()).to.deep.equal([{ kind: "key" }]);
    const { json } = await call("GET", `/invoices/${invoiceId}/events`);
    expect(json.data[0]).to.deep.include({
      kind: "edited",
      fields: ["description", "redirectUrl", "metadata", "note"],
    });
  });

  it("is done and recorded once, however often it is requested", async () => {
    await deliver();
    const first = await erase();
    expect((await erase()).text).to.equal(first.text);
    expect(await audits()).to.have.length(1);
  });

  for (const state of ["pending", "sending"])
    it(`is refused while a webhook is ${state}, and changes nothing`, async () => {
      await deliver(state);
      const before = (await call("GET", `/invoices/${invoiceId}`)).text;
      const { status, json } = await erase();
      expect([status, json.code]).to.deep.equal([409, "delivery-in-progress"]);
      expect((await call("GET", `/invoices/${invoiceId}`)).text).to.equal(before);
      expect(await audits()).to.deep.equal([]);
      await deliver();
    });

  it("removes the bodies: its events cannot be sent again, nor read", async () => {
    await deliver("failed");
    await erase();
    const [delivery] = await api.db.query<[{ id: string; webhookId: string }]>(
      `SELECT id, webhook_id AS "webhookId" FROM webhook_deliveries WHERE invoice_id = $1`,
      [invoiceId],
    );
    const path = `/webhooks/${delivery.webhookId}/deliveries/${delivery.id}`;
    const again = await call("POST", `${path}/redeliver`);
    expectRefused(again, 409, "pruned");
    const request = await call("GET", `${path}/request`);
    expectRefused(request, 409, "pruned");
    expect(await redeliverWebhooks(api.ctx, { storeId: shop.storeId }, {})).to.equal(0);
    const feed = await call("GET", "/events");
    expect(feed.json.data.map((event) => (event as { metadata?: unknown }).metadata)).to.deep.equal([null]);
  });

  it("removes the note of an earlier mark when nothing else is left of the customer", async () => {
    ({ invoiceId } = await post("/invoices", {
      amount: "1000",
      currency: "SATS",
      metadata: { orderId: "A-1" },
    }));
    await post(`/invoices/${invoiceId}/status`, { status: "Settled", note: "Ann Example paid in cash" });
    await post(`/invoices/${invoiceId}/status`, { status: "Invalid" });
    await deliver();
    await api.db.query("UPDATE invoice_events SET body = NULL"); // they were kept long enough
    expect((await erase()).status).to.equal(200);
    expect((await call("GET", `/invoices/${invoiceId}/events`)).text).not.to.include("Ann Example");
  });

  it("allows a payment, and later events carry the order id only", async () => {
    await deliver();
    await erase();
    await buildPayment(api.ctx, invoiceId, { amountSats: 100_000n, state: "confirmed" });
    await changeInvoice(api.ctx, invoiceId);
    const [event] = await api.db.query<[{ body: Buffer }]>(
      "SELECT body FROM invoice_events WHERE invoice_id = $1 AND type = 'Settled'",
      [invoiceId],
    );
    expect(JSON.parse(event.body.toString())).to.deep.include({ metadata: { orderId: "A-é" } });
  });
});
