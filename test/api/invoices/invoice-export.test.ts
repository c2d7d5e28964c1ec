import { once } from "node:events";
import { createConnection } from "node:net";
import { expect } from "chai";
import fc from "fast-check";
import Koa from "koa";
import type { QueryRunner } from "typeorm";
import { listen } from "../../../api/listen";
import { csvLine } from "../../../api/http/export";
import { StreamedBody } from "../../../api/http/streamed";
import { eventually } from "../../support/eventually";
import { copyInvoice } from "../../support/copy-invoice";
import { buildPayment } from "../../support/factories";
import { expectRefused, startApi, type TestApi, type TestStore } from "../server";

/** RFC 4180, by its grammar and nothing of ours. */
function parseCsv(text: string): string[][] {
  const lines: string[][] = [[]];
  const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/gy;
  for (let match = cells.exec(text); match !== null && match.index < text.length; match = cells.exec(text)) {
    lines.at(-1)?.push((match[1] ?? match[2] ?? "").replaceAll('""', '"'));
    if (match[3] === "\r\n" && cells.lastIndex < text.length) lines.push([]);
  }
  return lines;
}

describe("CSV", () => {
  it("is parsed back to its input, except for the apostrophe before a formula", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (cells) => {
        const [parsed, ...others] = parseCsv(csvLine(cells));
        expect(others).to.deep.equal([]);
        expect(parsed).to.have.length(cells.length);
        for (const [at, cell] of cells.entries())
          if (!/[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(cell)) expect(parsed?.[at]).to.equal(cell);
      }),
    );
  });

  it("starts no cell with a formula, with any separator of a spreadsheet", () => {
    const dangerous = fc.array(
      fc.constantFrom("=", "+", "-", "@", ";", "\t", "\r", "\n", '"', "'", " ", "a", "＝"),
    );
    fc.assert(
      fc.property(dangerous, (characters) => {
        const [[cell = ""] = []] = parseCsv(csvLine([characters.join("")]));
        // A quote at the beginning of a part is one of the file's own there, and ends with the next.
        for (const part of cell.split(/[;\t\r\n]/)) expect(part).not.to.match(/^[\s"]*[=+\-@＝]/);
      }),
    );
  });
});

describe("a streamed answer", () => {
  for (const chunks of [1, 5])
    it(`ends its source when its reader closes after ${chunks} of its chunks`, async () => {
      let ended = false;
      async function* source(): AsyncGenerator<string, void, undefined> {
        try {
          for (;;) yield await Promise.resolve("x".repeat(1_000_000));
        } finally {
          ended = true;
        }
      }
      const app = new Koa();
      app.silent = true;
      app.use(async (koa) => {
        koa.body = await new StreamedBody("text/plain", "x.txt", source()).open();
      });
      const listening = await listen(app.callback(), { host: "127.0.0.1", port: 0 });
      const socket = createConnection(listening.port, "127.0.0.1");
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      let bytes = 0;
      socket.on("data", (chunk: Buffer) => (bytes += chunk.length));
      await eventually(() => bytes >= chunks * 1_000_000);
      expect(ended).to.equal(false);
      socket.destroy();
      await eventually(() => ended);
      await listening.close();
    });
});

describe("API: export of invoices", () => {
  let api: TestApi;
  let shop: TestStore;
  before(async () => (api = await startApi()));
  beforeEach(async () => (shop = await api.store()));
  after(() => api.stop());

  const path = (query: string) => `/stores/${shop.storeId}/invoices/export${query}`;
  const get = (query: string) => api.call("GET", path(query), { key: shop.apiKey });
  async function invoice(fields: object): Promise<string> {
    const { json, text } = await api.call("POST", `/stores/${shop.storeId}/invoices`, {
      key: shop.apiKey,
      body: { amount: "1000", currency: "SATS", ...fields },
    });
    expect(json.invoiceId, text).to.be.a("string");
    return json.invoiceId;
  }
  /** The rows as objects by the header line's names. */
  async function csv(query = ""): Promise<Record<string, string>[]> {
    const answer = await get(`?format=csv${query}`);
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.headers.get("content-type")).to.equal("text/csv; charset=utf-8; header=present");
    expect(answer.headers.get("content-disposition")).to.equal('attachment; filename="invoices.csv"');
    const [names = [], ...rows] = parseCsv(answer.text);
    return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? ""])));
  }

  it("as JSON is the Invoices of the API, metadata to the letter", async () => {
    expect((await get("")).json).to.deep.equal({ data: [] });
    await invoice({ metadata: { orderId: "A-1", n: 1 } });
    await invoice({});
    const answer = await get("?format=json");
    expect(answer.headers.get("content-disposition")).to.equal('attachment; filename="invoices.json"');
    const list = await api.call("GET", `/stores/${shop.storeId}/invoices`, { key: shop.apiKey });
    expect(answer.json).to.deep.equal({ data: list.json.data });
  });

  it("as CSV has a line per invoice with its payments, rate and times", async () => {
    const id = await invoice({
      amount: "12.50",
      currency: "USD",
      metadata: { orderId: "A-1" },
      description: 'a "b",\nc',
    });
    const first = await buildPayment(api.ctx, id, { state: "confirmed", amountSats: 9n });
    const second = await buildPayment(api.ctx, id, {
      amountSats: 7n,
      firstSeenAt: new Date(first.firstSeenAt.getTime() + 1),
    });
    await invoice({});
    const [plain, row, ...others] = await csv();
    expect(others).to.deep.equal([]);
    expect(row).to.include({
      invoiceId: id,
      orderId: "A-1",
      status: "New",
      amount: "12.50",
      currency: "USD",
      rate: "60000",
      dueSats: "20834",
      description: 'a "b",\nc',
      archived: "false",
      paymentIds: `${first.id} ${second.id}`,
      paymentSats: "9 7",
      paymentStates: "confirmed pending",
      paymentsConfirmedAt: `${first.confirmedAt?.toISOString()} `,
    });
    expect(row?.["createdAt"]).to.match(/^\d{4}-.*Z$/);
    expect(plain).to.include({ rate: "", paymentIds: "", currency: "SATS" });
  });

  it("accepts the filters of the list", async () => {
    const [one, two] = [await invoice({ metadata: { orderId: "one" } }), await invoice({})];
    await api.call("POST", `/stores/${shop.storeId}/invoices/${two}/archive`, { key: shop.apiKey });
    const ids = async (query: string) => (await csv(query)).map((row) => row["invoiceId"]);
    expect(await ids("")).to.deep.equal([one]);
    expect(await ids("&archived=true")).to.deep.equal([two]);
    expect(await ids("&orderId=one&status=New&status=Settled")).to.deep.equal([one]);
    expect(await ids("&status=Settled")).to.deep.equal([]);
    expect(await ids("&createdFrom=2999-01-01T00:00:00Z")).to.deep.equal([]);
  });

  it("answers HEAD without a body", async () => {
    const answer = await api.call("HEAD", path("?format=csv"), { key: shop.apiKey });
    expect([answer.status, answer.text]).to.deep.equal([200, ""]);
  });

  describe("of 5,000 invoices", () => {
    const MANY = 5_000; // 16 MB
    beforeEach(async () => {
      const id = await invoice({
        description: "x".repeat(400),
        metadata: { orderId: "o", pad: "y".repeat(2_000) },
      });
      await copyInvoice(api.db, id, MANY - 1);
    });
    // They have no events: the invariants do not hold for them.
    afterEach(() => api.db.query("DELETE FROM invoices WHERE store_id = $1", [shop.storeId]));
    /** Since anybody but the one who asks began a statement. */
    const quietSeconds = async (watch: QueryRunner) => {
      const [row] = (await watch.query(
        `SELECT extract(epoch FROM clock_timestamp() - max(query_start))::float8 AS seconds FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      )) as [{ seconds: number }];
      return row.seconds;
    };

    it("is read no faster than its reader reads, and breaks off visibly when the database fails in the middle", async function () {
      this.timeout(60_000);
      const received: string[] = [];
      const socket = createConnection(api.listening.port, "127.0.0.1");
      socket.write(
        `GET /api/v1${path("?format=json")} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nx-api-key: ${shop.apiKey}\r\n\r\n`,
      );
      socket.on("data", (chunk: Buffer) => {
        received.push(chunk.toString("latin1"));
        if (received.length === 1) socket.pause();
      });
      const watch = api.db.createQueryRunner();
      await eventually(async () => received.length > 0 && (await quietSeconds(watch)) > 0.5);
      await watch.release();
      // Had all of it been read already, the rest would come whole.
      await api.db.query("ALTER TABLE invoices RENAME COLUMN amount TO gone");
      const closed = once(socket, "close");
      socket.resume();
      await closed;
      await api.db.query("ALTER TABLE invoices RENAME COLUMN gone TO amount");
      const text = received.join("");
      expect(text).to.match(/^HTTP\/1\.1 200 /);
      expect(text.endsWith("]}\r\n0\r\n\r\n")).to.equal(false);
      expect(api.ctx.lines.some(({ message }) => message === "request: response aborted")).to.equal(true);
    });

    it("is refused as a problem when it cannot begin", async () => {
      await api.db.query("ALTER TABLE invoices RENAME COLUMN amount TO gone");
      const answer = await get("?format=csv");
      await api.db.query("ALTER TABLE invoices RENAME COLUMN gone TO amount");
      expectRefused(answer, 500, "internal-error");
    });
  });
});
