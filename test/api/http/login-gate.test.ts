import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "chai";
import { makeLogger } from "../../../adapters/logger";
import { acceptRows } from "../../../commands/server/authentic-rows";
import { createApiKey } from "../../../commands/stores/api-key";
import { eventually } from "../../support/eventually";
import { startApi, type Answer, type TestApi, type TestStore } from "../server";

interface Line extends Record<string, unknown> {
  requestId: string;
  method: string;
  status: number;
  err: { message: string };
}
const parseLine = (text: string) => JSON.parse(text) as Line;

describe("API: every request", () => {
  const logged: string[] = [];
  let api: TestApi;
  let shop: TestStore;
  let other: TestStore;
  before(async () => {
    const log = makeLogger({
      level: "debug",
      worker: "api",
      instance: "test",
      destination: { write: (line) => void logged.push(line) },
    });
    api = await startApi({ parts: { log } });
    shop = await api.store();
    other = await api.store();
  });
  after(() => api.stop());

  const invoices = (storeId = shop.storeId) => `/stores/${storeId}/invoices`;
  const valid = { amount: "1000", currency: "SATS" };
  function expectProblem(answer: Answer, status: number, code: string) {
    expect([answer.status, answer.json.code], answer.text).to.deep.equal([status, code]);
    expect(answer.headers.get("content-type")).to.match(/^application\/problem\+json/);
    expect(answer.json).to.include.all.keys("type", "title", "status", "detail", "code", "requestId");
    expect(answer.json.status).to.equal(status);
    expect(answer.text).not.to.match(/SELECT|node_modules|\.ts:|<html/i);
  }

  describe("keys", () => {
    it("get one answer, 401, whether malformed, unknown, expired or deleted; where there is none it names the header", async () => {
      const { storeId } = shop;
      const expired = await createApiKey(api.ctx, { storeId, name: "old" });
      await api.db.query("UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1", [
        expired.record.id,
      ]);
      await acceptRows(api.ctx);
      const deleted = await createApiKey(api.ctx, { storeId, name: "gone" });
      expect((await api.call("GET", invoices(), { key: deleted.apiKey })).status).to.equal(200);
      await api.db.query("DELETE FROM api_keys WHERE id = $1", [deleted.record.id]);
      const unknown = "sk_test_" + "0".repeat(49);
      const keys = ["nonsense", unknown, shop.apiKey.slice(0, -1), expired.apiKey, deleted.apiKey];
      const bodies = new Set<string>();
      for (const key of [undefined, "", ...keys]) {
        const answer = await api.call("GET", invoices(), { key });
        expectProblem(answer, 401, "unauthenticated");
        expect(answer.headers.get("www-authenticate")).to.match(/^ApiKey /);
        const isMissing = String(answer.json.detail).startsWith("This request has no header x-api-key.");
        expect(isMissing).to.equal(!key);
        if (key) bodies.add(answer.text.replace(answer.json.requestId, ""));
      }
      expect(bodies.size).to.equal(1);
    });

    it("record their last use at most every five minutes", async () => {
      const { apiKey, record } = await createApiKey(api.ctx, { storeId: shop.storeId, name: "used" });
      const lastUsed = async () => {
        const [row] = await api.db.query<[{ at: string | null }]>(
          "SELECT last_used_at::text AS at FROM api_keys WHERE id = $1",
          [record.id],
        );
        return row.at;
      };
      expect(await lastUsed()).to.equal(null);
      await api.call("GET", invoices(), { key: apiKey });
      const first = await lastUsed();
      expect(first).not.to.equal(null);
      await api.call("GET", invoices(), { key: apiKey });
      expect(await lastUsed()).to.equal(first);
      await api.db.query("UPDATE api_keys SET last_used_at = now() - interval '301 seconds' WHERE id = $1", [
        record.id,
      ]);
      const stale = await lastUsed();
      await api.call("GET", invoices(), { key: apiKey });
      expect(await lastUsed()).not.to.equal(stale);
    });
  });

  describe("bodies", () => {
    const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
      api.call("POST", invoices(), { key: shop.apiKey, body, headers });

    it("that are no UTF-8 get 400", async () => {
      expectProblem(await post(Buffer.from('{"amount":"\xe9"}', "latin1")), 400, "malformed-request");
    });

    it("of another type get 415, and so do compressed ones and other character sets", async () => {
      const body = JSON.stringify(valid);
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "application/json;charset=latin1",
        "nonsense",
      ]) {
        const answer = await post(body, { "content-type": type });
        expectProblem(answer, 415, "unsupported-media-type");
        if (!type.includes("charset")) expect(answer.json["detail"]).to.include(`It came as \`${type}\``);
      }
      expectProblem(await post(body, { "content-encoding": "gzip" }), 415, "unsupported-media-type");
      for (const type of ["application/json; charset=utf-8", "Application/JSON;charset=UTF-8"])
        expect((await post(body, { "content-type": type })).status).to.equal(201);
    });

    it("above 256 KiB get 413, with and without a Content-Length; the connection stays open", async () => {
      const body = JSON.stringify({ ...valid, description: "x".repeat(256 * 1024) });
      expectProblem(await post(body), 413, "body-too-large");
      const chunked = await fetch(`${api.base}/api/v1${invoices()}`, {
        method: "POST",
        headers: { "x-api-key": shop.apiKey, "content-type": "application/json" },
        body: new Blob([body]).stream(),
        duplex: "half",
      });
      expect(chunked.status).to.equal(413);
      await chunked.text();
      expect((await post(JSON.stringify(valid))).status).to.equal(201);
    });

    it("of exactly 256 KiB are read", async () => {
      const body = JSON.stringify(valid);
      expect((await post(body + " ".repeat(256 * 1024 - body.length))).status).to.equal(201);
      expectProblem(await post(body + " ".repeat(256 * 1024 - body.length + 1)), 413, "body-too-large");
    });

    it("that are missing count as empty", async () => {
      const answer = await api.call("POST", invoices(), { key: shop.apiKey });
      expectProblem(answer, 422, "validation-failed");
      expect(answer.json.errors).to.deep.equal([{ pointer: "/amount", message: "Required." }]);
    });

    it("with more fields than any valid one get 422 before they are parsed", async () => {
      const fields = (count: number) =>
        Array.from({ length: count }, (_, at) => `"${at.toString(16)}":":\\":"`);
      const many = await post(`{${fields(8_193).join()}}`);
      expectProblem(many, 422, "validation-failed");
      expect(many.json.errors).to.deep.equal([
        {
          pointer: "",
          message: "The body must have at most 16384 brackets, commas and colons outside of texts.",
        },
      ]);
      for (const nested of ["[".repeat(16_380), "1,".repeat(16_380), "{}".repeat(8_200)])
        expectProblem(await post(`{"metadata":{"a":[${nested}`), 422, "validation-failed");
      const metadata = `{"amount":"1000","currency":"SATS","metadata":{${fields(2_400).join()}}}`;
      expect((await post(metadata)).status).to.equal(201);
    });

    it("that are large wait while the store's two before them are read; small ones and other stores do not", async () => {
      const large = (key: TestStore) =>
        api.call("POST", invoices(key.storeId), {
          key: key.apiKey,
          body: { ...valid, description: "x".repeat(17 * 1024) },
        });
      const unfinished = Array.from({ length: 2 }, () => {
        const socket = connect(api.listening.port, "127.0.0.1");
        socket.write(
          `POST /api/v1${invoices()} HTTP/1.1\r\nHost: x\r\nx-api-key: ${shop.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 20000\r\n\r\n{"description":"${"x".repeat(17 * 1024)}`,
        );
        return socket;
      });
      await Promise.all(unfinished.map((socket) => once(socket, "connect")));
      await eventually(async () => {
        let answered = false;
        void large(shop).then(() => (answered = true));
        expect((await post(JSON.stringify(valid))).status).to.equal(201);
        expect((await large(other)).status).to.equal(422);
        expect(answered).to.equal(false);
      });
      const waiting = large(shop);
      for (const socket of unfinished) socket.destroy();
      expect((await waiting).status).to.equal(422);
    });

    it("that break off leave nothing behind", async () => {
      const count = async () => (await api.db.query<unknown[]>("SELECT 1 FROM invoices")).length;
      const before = await count();
      const seen = logged.length;
      const socket = connect(api.listening.port, "127.0.0.1");
      socket.write(
        `POST /api/v1${invoices()} HTTP/1.1\r\nHost: x\r\nx-api-key: ${shop.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"amount"`,
        () => socket.destroy(),
      );
      await eventually(() => logged.slice(seen).some((line) => line.includes('"message":"request"')));
      expect(await count()).to.equal(before);
      expect(logged.slice(seen).join("")).not.to.include("defect");
    });
  });

  describe("paths and methods", () => {
    it("that are unknown get 404 route-not-found", async () => {
      for (const path of [
        "/nothing",
        "",
        "/stores",
        `/stores/${shop.storeId}/nothing`,
        `${invoices()}/a/b`,
        "/Health",
      ])
        expectProblem(await api.call("GET", path, { key: shop.apiKey }), 404, "route-not-found");
      const response = await fetch(`${api.base}/`);
      expect(response.status).to.equal(404);
    });

    it("list in Allow the methods of a literal path, not those of a template that it matches too", async () => {
      for (const [path, allow] of [
        [`/stores/${shop.storeId}/api-keys/current`, "HEAD, GET, OPTIONS"],
        [`${invoices()}/export`, "HEAD, GET, OPTIONS"],
        [`/stores/${shop.storeId}/webhooks/wh_x/deliveries/redeliver`, "POST, OPTIONS"],
        [`/stores/${shop.storeId}/api-keys/key_x`, "DELETE, OPTIONS"],
      ] as const) {
        const answers = [await api.call("PUT", path, { key: shop.apiKey }), await api.call("OPTIONS", path)];
        expect(answers.map(({ status, headers }) => [status, headers.get("allow")])).to.deep.equal([
          [405, allow],
          [204, allow],
        ]);
      }
    });

    it("answer HEAD as GET without a body", async () => {
      const get = await api.call("GET", invoices(), { key: shop.apiKey });
      const head = await api.call("HEAD", invoices(), { key: shop.apiKey });
      expect([head.status, head.text]).to.deep.equal([200, ""]);
      expect(head.headers.get("content-length")).to.equal(get.headers.get("content-length"));
      expect((await api.call("HEAD", invoices())).status).to.equal(401);
    });
  });

  it("logs a line without keys, secrets, queries and bodies", async () => {
    logged.length = 0;
    const hook = await api.call("POST", `/stores/${shop.storeId}/webhooks`, {
      key: shop.apiKey,
      body: { url: "http://127.0.0.1:9/secret-path" },
    });
    await api.call("POST", invoices(), {
      key: shop.apiKey,
      body: { ...valid, metadata: { orderId: "private-order", email: "jane@example.com" } },
    });
    await api.call("GET", `${invoices()}?q=private-order`, { key: shop.apiKey });
    await api.call("GET", `${invoices()}?q=private-order&limit=0`, { key: shop.apiKey });
    await api.call("GET", invoices(), { key: "sk_test_guess" });
    const text = logged.join("");
    const lines = logged.map(parseLine).filter(({ message }) => message === "request");
    expect(lines.map(({ method, status }) => `${method} ${status}`)).to.deep.equal([
      "POST 201",
      "POST 201",
      "GET 200",
      "GET 422",
      "GET 401",
    ]);
    expect(lines[0]).to.include({ path: `/api/v1/stores/${shop.storeId}/webhooks`, storeId: shop.storeId });
    expect(lines[0]?.requestId).to.equal(hook.headers.get("x-request-id"));
    expect(lines[0]?.durationMs).to.be.a("number");
    for (const secret of [
      shop.apiKey,
      hook.json.secret,
      "private-order",
      "jane@",
      "secret-path",
      "sk_test_guess",
    ])
      expect(text).not.to.include(secret);
  });

  it("answers 500 without details to a defect, and logs it under the same request id", async () => {
    logged.length = 0;
    await api.db.query("ALTER TABLE invoices RENAME COLUMN metadata TO gone");
    const answer = await api.call("GET", `${invoices()}?q=find-me`, { key: shop.apiKey });
    await api.db.query("ALTER TABLE invoices RENAME COLUMN gone TO metadata");
    expectProblem(answer, 500, "internal-error");
    const line = logged.map(parseLine).find(({ level }) => level === "error");
    expect(line?.requestId).to.equal(answer.json.requestId);
    expect(line?.err.message).to.include("metadata");
    expect(logged.join("")).not.to.include("find-me");
  });
});
