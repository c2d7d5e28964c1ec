import { expect } from "chai";
import type { QueryRunner } from "typeorm";
import { eventually } from "../../support/eventually";
import { startApi, type Answer, type TestApi, type TestStore } from "../server";

describe("API: the event feed", () => {
  const stopping = new AbortController();
  let api: TestApi;
  let shop: TestStore;
  before(async () => {
    api = await startApi({ parts: { stopping: stopping.signal } });
    shop = await api.store();
  });
  after(async () => {
    await onlooker.release();
    await api.stop();
  });

  const feed = (query = "", store = shop): Promise<Answer> =>
    api.call("GET", `/stores/${store.storeId}/events${query}`, { key: store.apiKey });
  async function create(store = shop, metadata = `{"orderId":"A-1","n":1.0}`): Promise<string> {
    const body = `{"amount":"1000","currency":"SATS","metadata":${metadata}}`;
    const { json } = await api.call("POST", `/stores/${store.storeId}/invoices`, { key: store.apiKey, body });
    return json.invoiceId;
  }
  /** On a connection of its own: one of the pool shows us what we asked on it last. */
  let onlooker: QueryRunner;
  before(async () => {
    onlooker = api.db.createQueryRunner();
    await onlooker.connect();
  });
  let testBegan: string;
  beforeEach(async () => {
    const [row] = (await onlooker.query("SELECT clock_timestamp()::text AS now")) as [{ now: string }];
    testBegan = row.now;
  });
  const waiters = async (): Promise<number> => {
    const rows = (await onlooker.query(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%feed_seq > $2%' AND query_start > $1 AND pid <> pg_backend_pid()",
      [testBegan],
    )) as unknown[];
    return rows.length;
  };

  it("is empty for a new store, with a cursor to continue from", async () => {
    const { status, json } = await feed();
    expect(status).to.equal(200);
    expect(json).to.deep.equal({ data: [], nextAfter: "0000000000000000" });
    expect((await feed("?after=0000000000000000")).json).to.deep.equal(json);
  });

  it("lists an event with the metadata as sent", async () => {
    const invoiceId = await create();
    const { json, text } = await feed();
    const [event] = json.data;
    expect(event).to.deep.equal({
      seq: "0000000000000001",
      eventId: event.eventId,
      type: "New",
      invoiceId,
      metadata: { orderId: "A-1", n: 1 },
      additionalStatus: "None",
      createdAt: event.createdAt,
    });
    expect(text).to.include('"metadata":{"orderId":"A-1","n":1.0}');
    expect(json["nextAfter"]).to.equal("0000000000000001");
    expect((await feed("?after=0000000000000001")).json).to.deep.equal({
      data: [],
      nextAfter: "0000000000000001",
    });
  });

  it("begins with what is new for after=latest, in an empty feed too", async () => {
    const store = await api.store();
    expect((await feed("?after=latest", store)).json).to.deep.equal({
      data: [],
      nextAfter: "0000000000000000",
    });
    await create(store);
    await create(store);
    expect((await feed("?after=latest", store)).json).to.deep.equal({
      data: [],
      nextAfter: "0000000000000002",
    });
    expect((await feed("?after=newest", store)).status).to.equal(422);
  });

  it("answers a wait as soon as an event is committed", async () => {
    const store = await api.store();
    const begun = performance.now();
    const waiting = feed("?wait=30", store);
    await eventually(async () => (await waiters()) > 0);
    const invoiceId = await create(store);
    const { json } = await waiting;
    expect(json.data.map((event) => event.invoiceId)).to.deep.equal([invoiceId]);
    expect(performance.now() - begun, "before its end").to.be.lessThan(28_000);
  });

  it("answers an ended wait with an empty list", async () => {
    const store = await api.store();
    const begun = performance.now();
    const { status, json } = await feed("?wait=1", store);
    expect([status, json]).to.deep.equal([200, { data: [], nextAfter: "0000000000000000" }]);
    expect(performance.now() - begun).to.be.within(950, 28_000);
  });

  it("holds no connection for waiting requests: 50 wait on a pool of 10, and the API answers", async () => {
    const store = await api.store();
    const waiting = Array.from({ length: 50 }, () => feed("?wait=30", store));
    await eventually(async () => (await waiters()) > 0);
    await eventually(async () => {
      const [busy] = await api.db.query<{ n: number }[]>(
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()",
      );
      expect(busy?.n, "once each has read that there is nothing").to.be.lessThan(3);
    });
    // Those that had waited to their end meanwhile would have no event.
    const invoiceId = await create(store);
    for (const { json } of await Promise.all(waiting)) expect(json.data[0].invoiceId).to.equal(invoiceId);
  });

  it("forgets a caller that has gone", async () => {
    const store = await api.store();
    const caller = new AbortController();
    const waiting = fetch(`${api.base}/api/v1/stores/${store.storeId}/events?wait=20`, {
      headers: { "x-api-key": store.apiKey },
      signal: caller.signal,
    }).catch(() => null);
    await eventually(async () => (await waiters()) > 0);
    caller.abort();
    expect(await waiting).to.equal(null);
    await eventually(() => {
      const line = api.ctx.lines.findLast(({ fields }) => String(fields["path"]).includes(store.storeId));
      expect(line?.message).to.equal("request");
    });
  });

  it("answers waiting and new requests at once when the process stops", async () => {
    const store = await api.store();
    const begun = performance.now();
    const waiting = feed("?wait=30", store);
    await eventually(async () => (await waiters()) > 0);
    stopping.abort();
    expect((await waiting).json).to.deep.equal({ data: [], nextAfter: "0000000000000000" });
    expect((await feed("?wait=30", store)).status).to.equal(200);
    expect(performance.now() - begun, "before the end of either").to.be.lessThan(28_000);
  });
});
