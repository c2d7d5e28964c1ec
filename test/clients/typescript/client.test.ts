import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { expect } from "chai";
import {
  QuittanceClient,
  QuittanceConnectionError,
  QuittanceError,
  type FeedEvent,
} from "../../../clients/typescript/src/index";
import { startReceiver, type Receiver } from "../../support/receiver";
import { startApi, TPUB, type TestApi, type TestStore } from "../../api/server";

async function caught(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
}

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
}

describe("the TypeScript client on the API", () => {
  let api: TestApi;
  let store: TestStore;
  let client: QuittanceClient;
  let receiver: Receiver;
  before(async () => {
    api = await startApi();
    receiver = await startReceiver();
  });
  beforeEach(async () => {
    store = await api.store();
    client = new QuittanceClient({ baseUrl: `${api.base}/`, ...store });
  });
  after(async () => {
    await receiver.close();
    await api.stop();
  });
  const create = (orderId: string) =>
    client.invoices.create({ amount: "1000", currency: "SATS", metadata: { orderId } });

  it("creates one invoice for an idempotency key, and reads it", async () => {
    const body = { amount: "12.50", currency: "EUR", metadata: { orderId: "A-1" } };
    const [first, again] = await Promise.all([
      client.invoices.create(body, { idempotencyKey: "order A-1" }),
      client.invoices.create(body, { idempotencyKey: "order A-1" }),
    ]);
    expect(again).to.deep.equal(first);
    expect(first).to.include({ amount: "12.50", currency: "EUR", status: "New", storeId: store.storeId });
    expect(await client.invoices.get(first.invoiceId)).to.deep.equal(first);
    const other = await caught(
      client.invoices.create({ ...body, amount: "13" }, { idempotencyKey: "order A-1" }),
    );
    expect(other)
      .to.be.instanceOf(QuittanceError)
      .and.to.include({ status: 409, code: "idempotency-conflict" });
  });

  it("reads all pages of a list, and no more than requested", async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.unshift((await create(`L-${n}`)).invoiceId);
    expect((await all(client.invoices.list({ limit: 2 }))).map(({ invoiceId }) => invoiceId)).to.deep.equal(
      made,
    );
    const page = await client.invoices.page({ limit: 2 });
    expect(page.data).to.have.length(2);
    expect(page.nextCursor).to.be.a("string");
    expect(await all(client.invoices.list({ orderId: "L-3" }))).to.have.length(1);
    expect(await all(client.invoices.list({ status: ["Settled", "Invalid"] }))).to.deep.equal([]);
  });

  it("marks, edits, checks and archives an invoice, and reads its history", async () => {
    const { invoiceId } = await create("M-1");
    expect((await client.invoices.edit(invoiceId, { metadata: { note: "gift" } })).metadata).to.deep.equal({
      orderId: "M-1",
      note: "gift",
    });
    expect((await client.invoices.check(invoiceId)).status).to.equal("New");
    expect((await client.invoices.mark(invoiceId, { status: "Settled", note: "cash" })).status).to.equal(
      "Settled",
    );
    expect((await client.invoices.archive(invoiceId)).archived).to.equal(true);
    expect((await client.invoices.unarchive(invoiceId)).archived).to.equal(false);
    expect((await all(client.invoices.history(invoiceId))).length).to.be.greaterThan(1);
    const twice = await caught(client.invoices.mark(invoiceId, { status: "Settled" }));
    expect(twice).to.include({ status: 409, code: "invalid-transition" });
  });

  it("exports in bytes as they come", async () => {
    await create("X-1");
    const chunks = await all(await client.invoices.export({ format: "csv" }));
    expect(Buffer.concat(chunks).toString()).to.include("X-1");
  });

  it("creates, changes, tests, rotates and deletes webhooks", async () => {
    const made = await client.webhooks.create({ url: `${receiver.url}/hook` });
    expect(made.secret).to.match(/^whsec_/);
    const { webhookId } = made;
    expect((await client.webhooks.change(webhookId, { events: ["Settled"] })).events).to.deep.equal([
      "Settled",
    ]);
    expect((await all(client.webhooks.list())).map((each) => each.webhookId)).to.deep.equal([webhookId]);
    expect((await client.webhooks.rotateSecret(webhookId)).secret).not.to.equal(made.secret);
    const { deliveryId } = await client.webhooks.test(webhookId, { type: "Settled" });
    expect((await all(client.deliveries.list(webhookId))).map((each) => each.deliveryId)).to.deep.equal([
      deliveryId,
    ]);
    expect((await client.deliveries.get(webhookId, deliveryId)).attempts).to.deep.equal([]);
    expect((await client.deliveries.request(webhookId, deliveryId)).url).to.include(receiver.url);
    const busy = await caught(client.deliveries.redeliver(webhookId, deliveryId));
    expect(busy).to.include({ code: "delivery-in-progress" });
    expect(await client.deliveries.redeliverMany(webhookId, { state: "failed" })).to.deep.equal({ count: 0 });
    expect(await client.webhooks.delete(webhookId)).to.equal(undefined);
    expect(await caught(client.webhooks.get(webhookId))).to.include({
      status: 404,
      code: "webhook-not-found",
    });
  });

  it("reads and changes the store, its wallet and its keys", async () => {
    expect((await client.store.change({ name: "New name" })).name).to.equal("New name");
    expect((await client.store.get()).name).to.equal("New name");
    const { addresses } = await client.store.previewWallet({ xpub: TPUB, count: 2 });
    expect(addresses).to.have.length(2);
    expect((await client.store.setWallet({ xpub: TPUB })).type).to.equal("BTC-CHAIN");
    expect((await client.store.paymentMethods()).data.length).to.be.greaterThan(0);
    const key = await client.store.createApiKey({ name: "second" });
    expect(await all(client.store.apiKeys())).to.have.length(2);
    await client.store.deleteApiKey(key.id);
    expect((await client.store.currentApiKey()).name).to.equal("test");
    expect((await client.store.rates(["USD"])).data[0]?.currency).to.equal("USD");
    expect(await all(client.store.alerts())).to.be.an("array");
    expect((await client.store.serverInfo()).network).to.equal("regtest");
    expect(await caught(client.store.removeWallet())).to.include({ status: 403, code: "dashboard-only" });
  });

  it("follows the feed from a cursor, waits for the next event, and ends when aborted", async () => {
    const first = await create("F-1");
    const second = await create("F-2");
    const stop = new AbortController();
    const seen: FeedEvent[] = [];
    const following = (async () => {
      for await (const event of client.events.follow({ signal: stop.signal })) {
        seen.push(event);
        if (seen.length === 2) void create("F-3");
        if (seen.length === 3) stop.abort(new Error("enough"));
      }
    })();
    expect(await caught(following)).to.include({ message: "enough" });
    expect(seen.map(({ metadata }) => metadata?.["orderId"])).to.deep.equal(["F-1", "F-2", "F-3"]);
    expect(seen.slice(0, 2).map(({ invoiceId }) => invoiceId)).to.deep.equal([
      first.invoiceId,
      second.invoiceId,
    ]);
    const rest = await client.events.read({ after: seen[1]?.seq ?? "" });
    expect(rest.data.map(({ seq }) => seq)).to.deep.equal([seen[2]?.seq]);
    for await (const event of client.events.follow({ after: seen[1]?.seq ?? "" })) {
      expect(event.seq).to.equal(seen[2]?.seq);
      break;
    }
  });

  it("throws what the service refuses, field by field", async () => {
    const error = await caught(client.invoices.create({ amount: "-1", currency: "EUR" }));
    expect(error).to.be.instanceOf(QuittanceError);
    const { status, code, errors, requestId, retryAfter, message } = error as QuittanceError;
    expect({ status, code, retryAfter }).to.deep.equal({
      status: 422,
      code: "validation-failed",
      retryAfter: null,
    });
    expect(errors.map(({ pointer }) => pointer)).to.deep.equal(["/amount"]);
    expect(requestId).to.match(/^req_/);
    expect(message).to.include("/amount");
  });

  it("escapes an id in its path", async () => {
    for (const id of ["", ".", ".."])
      expect(() => client.invoices.get(id), id).to.throw(TypeError, "an id is missing");
    const error = await caught(client.invoices.get("../../stores"));
    expect(error).to.include({ status: 404, code: "invoice-not-found" });
  });

  it("does not print its key", () => {
    expect(inspect(client, { depth: 9, showHidden: true })).not.to.include(store.apiKey);
    expect(JSON.stringify(client)).not.to.include(store.apiKey);
  });

  it("refuses to be constructed without required options", () => {
    const whole = { baseUrl: "https://pay.example", apiKey: "sk", storeId: "s" };
    for (const name of ["baseUrl", "apiKey", "storeId"] as const)
      expect(() => new QuittanceClient({ ...whole, [name]: undefined as unknown as string })).to.throw(
        TypeError,
        `${name} is missing`,
      );
    for (const baseUrl of ["pay.example", "ftp://pay.example", "https://user:password@pay.example"])
      expect(() => new QuittanceClient({ ...whole, baseUrl }), baseUrl).to.throw(TypeError);
  });
});

describe("the TypeScript client on a bad connection", () => {
  let server: Server;
  let answer: (url: string) => { status?: number; headers?: Record<string, string>; body?: string } | null;
  let asked: string[] = [];
  let client: QuittanceClient;
  before(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? "");
      const given = answer(request.url ?? "");
      if (given === null) return;
      response.writeHead(given.status ?? 200, given.headers);
      response.end(given.body ?? "{}");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  beforeEach(() => {
    asked = [];
    const { port } = server.address() as AddressInfo;
    client = new QuittanceClient({
      baseUrl: `http://127.0.0.1:${port}/below`,
      apiKey: "sk_test_x",
      storeId: "s",
    });
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it("requests below the path of its base", async () => {
    answer = () => ({});
    await client.store.get();
    expect(asked).to.deep.equal(["/below/api/v1/stores/s"]);
  });

  it("reports a timeout", async () => {
    answer = () => null;
    const error = await caught(client.invoices.get("inv_1", { timeoutMs: 50 }));
    expect(error).to.be.instanceOf(QuittanceConnectionError).and.to.include({ reason: "timeout" });
    const exported = await caught(client.invoices.export({ format: "csv" }, { timeoutMs: 50 }));
    expect(exported).to.include({ reason: "timeout" });
  });

  it("reports that nothing listens", async () => {
    const nobody = new QuittanceClient({ baseUrl: "http://127.0.0.1:1", apiKey: "sk", storeId: "s" });
    const error = await caught(nobody.invoices.get("inv_1"));
    expect(error).to.be.instanceOf(QuittanceConnectionError).and.to.include({ reason: "network" });
  });

  it("ends with the caller's own reason when the caller aborts", async () => {
    answer = () => null;
    const mine = new Error("mine");
    const abort = new AbortController();
    const asking = caught(client.invoices.get("inv_1", { signal: abort.signal }));
    abort.abort(mine);
    expect(await asking).to.equal(mine);
  });

  it("does not send the key to a redirect", async () => {
    answer = (url) => (url.includes("stolen") ? {} : { status: 307, headers: { location: "/stolen" } });
    expect(await caught(client.invoices.get("inv_1"))).to.include({ reason: "network" });
    expect(asked).to.have.length(1);
  });

  it("distinguishes a proxy's page from the service's answer", async () => {
    answer = () => ({ status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad gateway</h1>" });
    const error = await caught(client.invoices.get("inv_1"));
    expect(error).to.include({ status: 502, code: "unexpected-answer", requestId: null });
    expect(String(error)).not.to.include("<h1>");
  });

  it("does not accept a page as an invoice", async () => {
    answer = () => ({ headers: { "content-type": "text/html" }, body: "<h1>Log in</h1>" });
    expect(await caught(client.invoices.get("inv_1"))).to.be.instanceOf(QuittanceConnectionError);
  });

  it("reports how long to wait, and the feed waits and continues", async () => {
    const problem = {
      status: 429,
      code: "rate-limited",
      title: "t",
      detail: "d",
      type: "u",
      requestId: "req_1",
    };
    const headers = {
      "content-type": "application/problem+json",
      "retry-after": "2",
      "x-request-id": "req_1",
    };
    answer = () => ({ status: 429, headers, body: JSON.stringify(problem) });
    expect(await caught(client.invoices.get("inv_1"))).to.include({ retryAfter: 2, requestId: "req_1" });
    const event = { seq: "0000000000000001" };
    answer = () =>
      asked.length < 4
        ? { status: 429, headers, body: JSON.stringify(problem) }
        : { body: JSON.stringify({ data: [event], nextAfter: event.seq }) };
    asked = ["", ""];
    const start = performance.now();
    for await (const each of client.events.follow()) {
      expect(each).to.deep.equal(event);
      break;
    }
    expect(performance.now() - start).to.be.at.least(1_950); // its own first pause is 1 s
    expect(asked).to.have.length(4);
  });

  it("ends the feed when the key is deleted", async () => {
    const problem = {
      status: 401,
      code: "unauthenticated",
      title: "t",
      detail: "d",
      type: "u",
      requestId: "r",
    };
    answer = () => ({
      status: 401,
      headers: { "content-type": "application/problem+json" },
      body: JSON.stringify(problem),
    });
    expect(await caught(all(client.events.follow()))).to.include({ code: "unauthenticated" });
    expect(asked).to.have.length(1);
  });
});
