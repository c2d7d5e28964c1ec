import { PassThrough } from "node:stream";
import { expect } from "chai";
import { raiseAlert } from "../../../commands/server/raise-alert";
import { makeLive } from "../../../api/dashboard/live";
import { createInvoice } from "../../../commands/invoices/create-invoice";
import { markInvoice } from "../../../commands/invoices/mark-invoice";
import { Session } from "../../../entities/session";
import { readEvents, type EventReader } from "../../support/event-reader";
import { eventually } from "../../support/eventually";
import { expectRefused, LISTENS, startApi, type TestApi, type TestStore } from "../server";
import { join, testUser, type TestUser } from "./user";
import { inTransaction } from "../../../commands/transaction";

interface LiveEvent {
  event: string;
  data: { changes?: Record<string, string>[] };
}

/** A page's EventSource. */
class Page {
  ended = false;
  private constructor(
    private readonly reader: EventReader,
    readonly told: readonly LiveEvent[],
  ) {}

  static async open(api: TestApi, user: TestUser, path: string): Promise<Page> {
    const told: LiveEvent[] = [];
    const reader = await readEvents(`${api.base}/api/dashboard${path}`, {
      headers: { cookie: user.cookie, "last-event-id": "nonsense" },
      hear: ({ name, data }) => told.push({ event: name, data: JSON.parse(data) as LiveEvent["data"] }),
    });
    expect(reader.status).to.equal(200);
    const page = new Page(reader, told);
    void reader.ended.then(() => (page.ended = true));
    await eventually(() => told.some(({ event }) => event === "open"));
    return page;
  }

  get headers() {
    return this.reader.headers;
  }
  changes(): Record<string, string>[] {
    return this.told.flatMap(({ data }) => data.changes ?? []);
  }
  count(event: string): number {
    return this.told.filter((one) => one.event === event).length;
  }
  close(): void {
    this.reader.close();
  }
}

describe("dashboard: live changes on an open page", () => {
  let api: TestApi;
  let shop: TestStore;
  let other: TestStore;
  let owner: TestUser;
  const pages: Page[] = [];
  beforeEach(async () => {
    api = await startApi();
    shop = await api.store();
    other = await api.store();
    owner = await testUser(api);
    await join(api, owner, shop.storeId, "viewer");
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) page.close();
    await api.stop();
  });

  /** One that hears: the connection to the database is made after the first stream was opened. */
  async function open(path: string, user = owner): Promise<Page> {
    const page = await Page.open(api, user, path);
    pages.push(page);
    await eventually(async () => {
      const rows = await api.db.query<unknown[]>(
        `SELECT 1 FROM pg_stat_activity WHERE ${LISTENS} AND state = 'idle'`,
      );
      return rows.length > 0;
    });
    return page;
  }
  const ofShop = () => `/stores/${shop.storeId}/stream`;
  const invoiceOf = async ({ storeId }: TestStore) =>
    (await createInvoice(api.ctx, storeId, { amount: "1000", currency: "SATS" })).invoice.id;

  it("names an invoice that was created or marked, once for a burst, and nothing of another store", async () => {
    const page = await open(ofShop());
    await invoiceOf(other);
    const invoiceId = await invoiceOf(shop);
    await markInvoice(api.ctx, shop.storeId, invoiceId, { status: "Settled" });
    await eventually(() => page.changes().length > 0);
    expect(page.changes()).to.deep.equal([{ topic: "invoices", invoiceId }]);
    await markInvoice(api.ctx, shop.storeId, invoiceId, { status: "Invalid" });
    await eventually(() => page.changes().length === 2);
  });

  it("sends nothing that was rolled back", async () => {
    const page = await open(ofShop());
    const about = { kind: "gap-limit", severity: "info", message: "x", storeId: shop.storeId } as const;
    await inTransaction(api.ctx, async (tx) => {
      await raiseAlert(tx, { ...about, subject: "rolled back" });
      throw new Error("no");
    }).catch(() => undefined);
    await inTransaction(api.ctx, (tx) => raiseAlert(tx, { ...about, subject: "kept" }));
    await eventually(() => page.changes().length > 0);
    const [row] = await api.db.query<[{ id: string }]>("SELECT id FROM alerts WHERE subject = 'kept'");
    expect(page.changes()).to.deep.equal([{ topic: "alerts", alertId: row.id }]);
  });

  it("asks for a full reload when the database was away", async () => {
    const page = await open(ofShop());
    await eventually(() => page.count("refetch") === 1);
    await api.db.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${LISTENS}`);
    await eventually(() => page.count("refetch") === 2);
    const invoiceId = await invoiceOf(shop);
    await eventually(() => page.changes().some((change) => change.invoiceId === invoiceId));
  });

  it("passes proxies unbuffered, and ends when the process stops", async () => {
    const page = await open(ofShop());
    expect(page.headers["content-type"]).to.equal("text/event-stream; charset=utf-8");
    expect(page.headers["x-accel-buffering"]).to.equal("no");
    expect(page.headers["cache-control"]).to.equal("no-store");
    const stopped = api.stop();
    await eventually(() => page.ended);
    await stopped;
    api = await startApi();
  });

  it("is limited to a few pages of a session: the eleventh is refused, until one was closed", async () => {
    for (let n = 0; n < 10; n++) await open(ofShop());
    const refused = await owner.call("GET", ofShop());
    expectRefused(refused, 429, "rate-limited");
    pages[0]?.close();
    await eventually(async () => {
      const page = await Page.open(api, owner, ofShop()).catch(() => null);
      if (page !== null) pages.push(page);
      return page !== null;
    });
  });

  it("sends alerts about the server to server admins only, and of a store what its owner sees", async () => {
    const admin = await testUser(api, { admin: true });
    const [server, store] = [await open("/admin/stream", admin), await open(ofShop(), admin)];
    await inTransaction(api.ctx, (tx) =>
      raiseAlert(tx, { kind: "node-away", severity: "critical", subject: "n", message: "x" }),
    );
    const invoiceId = await invoiceOf(shop);
    await eventually(() => server.changes().length > 0 && store.changes().length > 0);
    expect(server.changes().map(({ topic }) => topic)).to.deep.equal(["alerts"]);
    expect(store.changes()).to.deep.equal([{ topic: "invoices", invoiceId }]);
  });

  it("ends when the session ends, or the reader is no member any more", async () => {
    const { userId, sessionId } = owner;
    for (const end of [
      () => api.db.query("DELETE FROM store_members WHERE user_id = $1", [userId]),
      () => api.db.manager.delete(Session, { id: sessionId }),
    ]) {
      const heard: string[] = [];
      let allowed = true;
      const live = makeLive({
        metrics: { stream: () => undefined },
        changes: { watch: () => () => undefined },
        stopping: new AbortController().signal,
        log: api.ctx.log,
        heartbeatMs: 5,
      });
      const stream = await live.open({
        sessionId,
        storeId: shop.storeId,
        allowed: async () => {
          allowed = (await owner.call("GET", `/stores/${shop.storeId}/role`)).status === 200;
          return allowed;
        },
        gone: new AbortController().signal,
      });
      const reader = new PassThrough().on("data", (chunk: Buffer) => heard.push(chunk.toString()));
      stream.writeTo(reader);
      await eventually(() => heard.includes(":\n\n"));
      await end();
      await eventually(() => reader.writableEnded);
      expect(heard.join("")).to.include("event: signed-out\n");
      await join(api, owner, shop.storeId, "viewer");
    }
  });
});
