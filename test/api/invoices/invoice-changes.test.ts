import { expect } from "chai";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { raiseAlert } from "../../../commands/server/raise-alert";
import { buildPayment } from "../../support/factories";
import { startApi, type Answer, type TestApi, type TestStore, expectRefused } from "../server";
import { inTransaction } from "../../../commands/transaction";

describe("API: changes of invoices, their history, alerts", () => {
  let api: TestApi;
  let shop: TestStore;
  let invoiceId: string;
  before(async () => (api = await startApi()));
  beforeEach(async () => {
    shop = await api.store();
    invoiceId = await invoice('{"10":1.0,"2":90071992547409931,"orderId":"A-1","note":"\\u00e9"}');
  });
  after(() => api.stop());

  const of = (method: string, rest = "", body?: unknown) =>
    api.call(method, `/stores/${shop.storeId}/invoices/${invoiceId}${rest}`, { key: shop.apiKey, body });
  async function invoice(metadata = "{}"): Promise<string> {
    const { json, text } = await api.call("POST", `/stores/${shop.storeId}/invoices`, {
      key: shop.apiKey,
      body: `{"amount":"100000","currency":"SATS","metadata":${metadata}}`,
    });
    expect(json.invoiceId, text).to.be.a("string");
    return json.invoiceId;
  }
  const list = (query = "") =>
    api.call("GET", `/stores/${shop.storeId}/invoices${query}`, { key: shop.apiKey });
  const kinds = async () => (await of("GET", "/events")).json.data.map(({ kind }) => kind);
  const bodies = async () =>
    (
      await api.db.query<{ body: Buffer }[]>(
        "SELECT body FROM invoice_events WHERE invoice_id = $1 ORDER BY seq",
        [invoiceId],
      )
    ).map(({ body }) => body.toString());

  describe("PATCH", () => {
    it("adds fields to the metadata and keeps all others exactly as sent", async () => {
      const answer = await of("PATCH", "", '{"metadata":{"parcel":{"b":1,"a":1.50},"note":null}}');
      expect(answer.status, answer.text).to.equal(200);
      const expected =
        '"metadata":{"10":1.0,"2":90071992547409931,"orderId":"A-1","parcel":{"b":1,"a":1.50}}';
      expect(answer.text).to.include(expected);
      expect((await of("GET")).text).to.include(expected);
      expect(await kinds()).to.deep.equal(["edited", "event", "status"]);
    });

    it("keeps earlier events unchanged; later ones carry the new metadata", async () => {
      const before = await bodies();
      await of("PATCH", "", { metadata: { note: "later" } });
      expect(await bodies()).to.deep.equal(before);
      await of("POST", "/status", { status: "Settled" });
      const [, settled] = await bodies();
      expect(settled).to.include('"note":"later"');
    });

    it("sets the redirect URL, and null removes it", async () => {
      const redirectUrl = "https://shop.example/thanks";
      expect((await of("PATCH", "", { redirectUrl })).json["redirectUrl"]).to.equal(redirectUrl);
      expect((await of("PATCH", "", { redirectUrl: null })).json["redirectUrl"]).to.equal(null);
      const edits = (await of("GET", "/events")).json.data.filter(({ kind }) => kind === "edited");
      expect(edits.map(({ fields }) => fields)).to.deep.equal([["redirectUrl"], ["redirectUrl"]]);
    });

    it("changes and records nothing when it is empty or changes no value", async () => {
      const before = (await of("GET")).text;
      for (const body of [{}, undefined, { metadata: {} }, { redirectUrl: null }, '{"metadata":{"10":1.0}}'])
        expect((await of("PATCH", "", body)).text).to.equal(before);
      expect(await kinds()).to.deep.equal(["event", "status"]);
    });

    it("keeps every field of many at once, and of the decisions meanwhile", async () => {
      await buildPayment(api.ctx, invoiceId, { state: "confirmed" });
      const answers = await Promise.all([
        ...Array.from({ length: 8 }, (_, at) => of("PATCH", "", { metadata: { [`field${at}`]: at } })),
        changeInvoice(api.ctx, invoiceId).then(() => null),
      ]);
      for (const answer of answers) if (answer) expect(answer.status).to.equal(200);
      const { json } = await of("GET");
      expect(json).to.include({ status: "Settled" });
      expect(json["metadata"]).to.include({ orderId: "A-1", field0: 0, field7: 7 });
    });

    const wrong: [string, unknown, string][] = [
      ["another order id", { metadata: { orderId: "B-2" } }, "/metadata/orderId"],
      ["the same order id", { metadata: { orderId: "A-1" } }, "/metadata/orderId"],
      ["an order id taken away", { metadata: { orderId: null } }, "/metadata/orderId"],
      ["metadata with a field twice", '{"metadata":{"a":1,"a":2}}', "/metadata"],
      ["more than 32 KiB", { metadata: { a: "x".repeat(33_000) } }, "/metadata"],
      ["more than 32 KiB in all", { metadata: { a: "x".repeat(32_740) } }, "/metadata"],
      ["a script for a redirect URL", { redirectUrl: "javascript:alert(1)" }, "/redirectUrl"],
    ];
    for (const [name, body, pointer] of wrong)
      it(`refuses ${name}: 422 that points at it`, async () => {
        const before = (await of("GET")).text;
        expectRefused(await of("PATCH", "", body), 422, "validation-failed", pointer);
        expect((await of("GET")).text).to.equal(before);
      });
  });

  describe("archive and unarchive", () => {
    it("remove it from the list and restore it, once each, and change nothing else", async () => {
      const before = (await of("GET")).json;
      for (let times = 0; times < 2; times += 1)
        expect((await of("POST", "/archive")).json).to.deep.equal({ ...before, archived: true });
      expect((await list()).json.data).to.deep.equal([]);
      expect((await list("?archived=true")).json.data.map((one) => one.invoiceId)).to.deep.equal([invoiceId]);
      for (let times = 0; times < 2; times += 1)
        expect((await of("POST", "/unarchive")).json).to.deep.equal(before);
      expect((await list()).json.data).to.have.length(1);
      expect((await list("?archived=true")).json.data).to.deep.equal([]);
      expect(await kinds()).to.deep.equal(["unarchived", "archived", "event", "status"]);
    });
  });

  describe("activate", () => {
    it("answers the invoice, whose address is there since its creation", async () => {
      const before = (await of("GET")).text;
      const answer = await of("POST", "/payment-methods/BTC-CHAIN/activate");
      expect([answer.status, answer.text]).to.deep.equal([200, before]);
    });

    it("says that there is no wallet now", async () => {
      await api.db.query("UPDATE stores SET lazy_addresses = true WHERE id = $1", [shop.storeId]);
      invoiceId = await invoice();
      await api.db.query("DELETE FROM store_payment_methods WHERE store_id = $1", [shop.storeId]);
      expectRefused(
        await of("POST", "/payment-methods/BTC-CHAIN/activate"),
        503,
        "payment-method-unavailable",
      );
    });

    it("refuses an invoice without this method", async () => {
      await api.db.query("DELETE FROM invoice_payment_methods WHERE invoice_id = $1", [invoiceId]);
      expectRefused(await of("POST", "/payment-methods/BTC-CHAIN/activate"), 404, "payment-method-not-found");
    });
  });

  describe("history", () => {
    it("lists statuses with their reasons, payments, events and notes, newest first, in pages", async () => {
      await of("POST", "/status", { status: "Invalid", note: "cash instead" });
      const { data } = (await of("GET", "/events")).json;
      expect(data.map(({ kind, status, type }) => [kind, status ?? type])).to.deep.equal([
        ["event", "Invalid"],
        ["status", "Invalid"],
        ["event", "New"],
        ["status", "New"],
      ]);
      expect(data[1]).to.deep.include({ additionalStatus: "None", note: "cash instead" });
      expect(data[1]?.["reason"]).to.be.a("string");
      const paged: unknown[] = [];
      for (let cursor = ""; ;) {
        const { json } = await of("GET", `/events?limit=1${cursor}`);
        paged.push(...json.data);
        if (json.nextCursor === null) break;
        cursor = `&cursor=${json.nextCursor}`;
      }
      expect(paged).to.deep.equal(data);
    });

    it("lists a payment as detection wrote it, with its amount as a number", async () => {
      await api.db.query(
        `INSERT INTO invoice_history (invoice_id, at, kind, details) VALUES ($1, now(), 'payment', $2)`,
        [
          invoiceId,
          {
            change: "seen",
            paymentId: `${"ab".repeat(32)}:0`,
            type: "BTC-CHAIN",
            amountSats: "2100000000000000",
            state: "pending",
            belowDust: false,
          },
        ],
      );
      const [line] = (await of("GET", "/events")).json.data;
      expect(line).to.deep.include({ kind: "payment", change: "seen", amountSats: 2_100_000_000_000_000 });
    });
  });

  describe("the limit of 1,000 marks and 1,000 edits", () => {
    const MARKED = {
      row: 14,
      status: "Invalid",
      additionalStatus: "None",
      reason: "Marked Invalid by hand.",
    };
    const write = (kind: string, details: object, times: number) =>
      api.db.query(
        `INSERT INTO invoice_history (invoice_id, at, kind, details)
         SELECT $1, now(), $2, $3 FROM generate_series(1, $4::int)`,
        [invoiceId, kind, details, times],
      );
    const mark: [string, string, unknown] = ["POST", "/status", { status: "Invalid" }];
    const edits: [string, string, unknown][] = [
      ["PATCH", "", { metadata: { note: "another" } }],
      ["POST", "/archive", undefined],
    ];
    const refuses = async (...request: [string, string, unknown]) => {
      const before = (await of("GET")).text;
      expectRefused(await of(...request), 409, "limit-reached");
      expect((await of("GET")).text).to.equal(before);
    };

    it("allows the last mark, and refuses the next: edits are not marks", async () => {
      await write("status", MARKED, 999);
      await write("edited", { fields: ["metadata"] }, 999);
      const answer = await of(...mark);
      expect(answer.status, answer.text).to.equal(200);
      await refuses("POST", "/status", { status: "Settled" });
      expect((await of("PATCH", "", { metadata: { note: "another" } })).status).to.equal(200);
    });

    for (const [at, last] of edits.entries())
      it(`allows the last edit, and refuses every other: ${last[0]} ${last[1]}`, async () => {
        await write("edited", { fields: ["metadata"] }, 800);
        await write("archived", {}, 100);
        await write("unarchived", {}, 99);
        const answer = await of(...last);
        expect(answer.status, answer.text).to.equal(200);
        for (const other of edits.filter((_, index) => index !== at)) await refuses(...other);
        expect((await of("PATCH", "", {})).status).to.equal(200);
        expect((await of(...mark)).status).to.equal(200);
      });

    it("refuses all but one of several at once", async () => {
      await write("edited", { fields: ["metadata"] }, 999);
      const answers = await Promise.all(
        Array.from({ length: 4 }, (_, at) => of("PATCH", "", { metadata: { at } })),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409, 409]);
    });

    it("does not count what the service does, nor refuse it", async () => {
      await write("payment", {}, 1_000);
      await write("status", { ...MARKED, row: 4 }, 1_000);
      await write("refund-address", {}, 1_000);
      expect((await of("POST", "/archive")).status).to.equal(200);
      await write("status", MARKED, 1_000);
      await buildPayment(api.ctx, invoiceId, { state: "confirmed" });
      await changeInvoice(api.ctx, invoiceId);
      expect((await of("GET")).json).to.include({ status: "Settled" });
      expectRefused(await of("POST", "/status", { status: "Settled" }), 409, "invalid-transition");
      expectRefused(await of("POST", "/status", { status: "Invalid" }), 409, "limit-reached");
      expect((await of("POST", "/erase")).status).to.equal(200);
    });
  });

  describe("alerts", () => {
    const alerts = (query = "") =>
      api.call("GET", `/stores/${shop.storeId}/alerts${query}`, { key: shop.apiKey });
    const raise = async (subject: string, storeId: string | undefined = shop.storeId) => {
      await api.db.query("SELECT pg_sleep(0.002)"); // an instant of its own, in milliseconds
      await inTransaction(api.ctx, (tx) =>
        raiseAlert(tx, {
          kind: "double-spend",
          severity: "warning",
          subject,
          ...(storeId === "" ? {} : { storeId, invoiceId }),
          message: subject,
        }),
      );
    };

    it("are those of the store only, newest first, in pages, open and resolved", async () => {
      const other = await api.store();
      for (const subject of ["first", "second", "third"]) await raise(`${invoiceId} ${subject}`);
      await raise(`${invoiceId} theirs`, other.storeId);
      await raise(`${invoiceId} of the server`, "");
      await api.db.query("UPDATE alerts SET resolved_at = now() WHERE message = $1", [`${invoiceId} second`]);
      const messages = (answer: Answer) =>
        answer.json.data.map(({ message }) => String(message).replace(`${invoiceId} `, ""));
      expect(messages(await alerts())).to.deep.equal(["third", "second", "first"]);
      expect(messages(await alerts("?state=open"))).to.deep.equal(["third", "first"]);
      expect(messages(await alerts("?state=resolved"))).to.deep.equal(["second"]);
      const page = await alerts("?limit=2");
      expect(messages(page)).to.deep.equal(["third", "second"]);
      expect(messages(await alerts(`?limit=2&cursor=${page.json.nextCursor}`))).to.deep.equal(["first"]);
      const [alert] = page.json.data;
      expect(alert).to.deep.include({
        kind: "double-spend",
        severity: "warning",
        invoiceId,
        resolvedAt: null,
      });
    });
  });
});
