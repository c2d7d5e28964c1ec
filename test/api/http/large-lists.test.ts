import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect } from "chai";
import { eventually } from "../../support/eventually";
import { expectRefused, startApi, type Answer, type TestApi, type TestStore } from "../server";

const PAGE_MAX_BYTES = 2 * 1024 * 1024;
/** Two bytes for each character, where V8 keeps it; not compressed away by Postgres. */
const LARGE = { note: `${"x".repeat(30_000)}中` };

describe("API: lists of large rows", () => {
  let api: TestApi;
  let shop: TestStore;
  const sockets: Socket[] = [];
  before(async () => (api = await startApi()));
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await api.stop();
  });

  const get = (path: string, store = shop): Promise<Answer> =>
    api.call("GET", `/stores/${store.storeId}${path}`, { key: store.apiKey });
  async function create(store: TestStore, metadata: object): Promise<string> {
    const { json } = await api.call("POST", `/stores/${store.storeId}/invoices`, {
      key: store.apiKey,
      body: { amount: "1000", currency: "SATS", metadata },
    });
    return json.invoiceId;
  }
  /** A store with one invoice, and so many more like it; each with its event. Newest first, as they are listed. */
  async function storeOf(count: number, metadata: object = LARGE): Promise<string[]> {
    shop = await api.store();
    const id = await create(shop, metadata);
    await api.db.query(
      `INSERT INTO invoices SELECT (jsonb_populate_record(invoice, jsonb_build_object('id', invoice.id || n,
              'created_at', invoice.created_at - n * interval '1 millisecond'))).*
         FROM invoices AS invoice, generate_series(1, $2::int - 1) AS n WHERE id = $1`,
      [id, count],
    );
    await api.db.query(
      `INSERT INTO invoice_events (id, store_id, invoice_id, type, additional_status, body, created_at)
       SELECT event.id || n, event.store_id, event.invoice_id || n, event.type, event.additional_status, event.body,
              event.created_at FROM invoice_events AS event, generate_series(1, $2::int - 1) AS n WHERE invoice_id = $1`,
      [id, count],
    );
    return [id, ...Array.from({ length: count - 1 }, (_, at) => `${id}${at + 1}`)];
  }

  it("end a page of invoices after 2 MiB, continue with nextCursor, and lose and repeat none", async () => {
    const made = await storeOf(100);
    const found: string[] = [];
    const pages: number[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const answer: Answer = await get(`/invoices?limit=200${cursor && `&cursor=${cursor}`}`);
      expect(Buffer.byteLength(answer.text)).to.be.at.most(PAGE_MAX_BYTES);
      found.push(...answer.json.data.map(({ invoiceId }) => invoiceId));
      pages.push(answer.json.data.length);
      cursor = answer.json.nextCursor;
    }
    expect(found).to.deep.equal(made);
    expect(pages).to.have.length(2);
    const filtered = await get("/invoices?limit=200&status=New&status=Settled");
    expect(filtered.json.data.map(({ invoiceId }) => invoiceId)).to.deep.equal(made.slice(0, pages[0]));
    expect(filtered.json.nextCursor).not.to.equal(null);
  });

  it("end a page of invoices with very many payments too", async () => {
    const made = await storeOf(60, {});
    await api.db.query(
      `INSERT INTO payments (id, invoice_id, store_id, type, amount_sats, state, first_seen_at, txid, vout)
       SELECT md5(invoice.id) || md5(n::text) || ':0', invoice.id, invoice.store_id, 'BTC-CHAIN', 1000, 'pending', now(),
              md5(invoice.id) || md5(n::text), 0
         FROM invoices AS invoice, generate_series(1, 110) AS n WHERE store_id = $1`,
      [shop.storeId],
    );
    const first = await get("/invoices?limit=200");
    expect(Buffer.byteLength(first.text)).to.be.at.most(PAGE_MAX_BYTES);
    const rest = await get(`/invoices?limit=200&cursor=${first.json.nextCursor ?? ""}`);
    const found = [...first.json.data, ...rest.json.data].map(({ invoiceId }) => invoiceId);
    expect(found).to.deep.equal(made);
  });

  it("end a page of the event feed after 2 MiB, and continue with nextAfter", async () => {
    const made = await storeOf(100);
    const found: string[] = [];
    let pages = 0;
    for (let after = "0000000000000000"; found.length < made.length; pages += 1) {
      const answer = await get(`/events?limit=200&after=${after}`);
      expect(Buffer.byteLength(answer.text)).to.be.at.most(PAGE_MAX_BYTES + 10_000);
      found.push(...answer.json.data.map(({ invoiceId }) => invoiceId));
      after = answer.json["nextAfter"] as string;
    }
    expect(found).to.have.members(made);
    expect(pages).to.equal(2);
  });

  it("are complete in an export, and refuse a store's third one at a time with 429, but no other store's", async () => {
    const made = await storeOf(500);
    const whole = await get("/invoices/export?format=json");
    expect(whole.json.data.map(({ invoiceId }) => invoiceId)).to.deep.equal(made);
    const path = `/api/v1/stores/${shop.storeId}/invoices/export?format=json`;
    for (let unread = 0; unread < 2; unread += 1) {
      const socket = connect(api.listening.port, "127.0.0.1");
      sockets.push(socket);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${shop.apiKey}\r\n\r\n`);
      await once(socket, "readable");
    }
    const refused = await get("/invoices/export?format=csv");
    expectRefused(refused, 429, "rate-limited");
    expect(Number(refused.headers.get("retry-after"))).to.be.above(0);
    const other = await api.store();
    expect((await get("/invoices/export?format=csv", other)).status).to.equal(200);
    for (const socket of sockets.splice(0)) socket.destroy();
    await eventually(async () => (await get("/invoices/export?format=csv")).status === 200);
  });

  it("show the last hundred attempts of a delivery that was sent repeatedly by hand", async () => {
    shop = await api.store();
    const { json: hook } = await api.call("POST", `/stores/${shop.storeId}/webhooks`, {
      key: shop.apiKey,
      body: { url: "http://127.0.0.1:9/hook" },
    });
    await create(shop, {});
    await api.db.query(
      `INSERT INTO webhook_attempts (delivery_id, number, webhook_id, cause, state, response_body)
       SELECT id, n, webhook_id, 'manual', 'failed', convert_to(repeat(chr(1), 4096), 'UTF8')
         FROM webhook_deliveries, generate_series(1, 150) AS n WHERE webhook_id = $1`,
      [hook.webhookId],
    );
    await api.db.query(
      "UPDATE webhook_deliveries SET state = 'failed', attempt_count = 150, requested_attempt = 150 WHERE webhook_id = $1",
      [hook.webhookId],
    );
    const path = `/webhooks/${hook.webhookId}/deliveries`;
    const { json: list } = await get(path);
    const { json } = await get(`${path}/${list.data[0].deliveryId}`);
    expect((json.attempts as unknown as { number: number }[]).map(({ number }) => number)).to.deep.equal(
      Array.from({ length: 100 }, (_, at) => at + 51),
    );
  });
});
