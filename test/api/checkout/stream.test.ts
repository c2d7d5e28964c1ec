import { once } from "node:events";
import { connect } from "node:net";
import { PassThrough, Writable } from "node:stream";
import { expect } from "chai";
import type { DataSource } from "typeorm";
import { EventStream } from "../../../api/live/event-stream";
import { OpenStreams } from "../../../api/http/open-streams";
import { createApiKey } from "../../../commands/stores/api-key";
import { notifyChanges } from "../../../commands/server/notify-changes";
import { parseTrustedProxies } from "../../../domain/client-address";
import type { Invoice } from "../../../entities/invoice";
import type { Store } from "../../../entities/store";
import { readEvents, type EventReader, type HeardEvent } from "../../support/event-reader";
import { checkoutStore, checkoutStories, TIP } from "../../stories/checkout-stories";
import { eventually } from "../../support/eventually";
import { LISTENS, refusingLimits, startApi, type TestApi } from "../server";

/** An open page, and what it heard. */
class Page {
  readonly heard: HeardEvent[] = [];
  reader!: EventReader;
  over = false;

  static async open(api: TestApi, path: string, headers: Record<string, string> = {}): Promise<Page> {
    const page = new Page();
    page.reader = await readEvents(api.base + path, {
      headers,
      keepText: true,
      hear: (event) => page.heard.push(event),
    });
    void page.reader.ended.then(() => (page.over = true));
    return page;
  }

  /** `missed` comes when the process begins to listen. */
  hints(): string[] {
    return this.heard.map(({ name }) => name).filter((name) => name !== "alive" && name !== "missed");
  }
  missed(): number {
    return this.heard.filter(({ name }) => name === "missed").length;
  }
}

describe("the checkout's stream", function () {
  this.timeout(60_000);
  let api: TestApi;
  let store: Store;
  let stories: ReturnType<typeof checkoutStories>;
  const pages: Page[] = [];
  before(async () => {
    api = await startApi({ parts: { trustedProxies: parseTrustedProxies(["127.0.0.1"]) } });
    store = await checkoutStore(api.ctx);
    stories = checkoutStories(api.ctx, store);
  });
  after(() => api.stop());
  afterEach(async () => {
    for (const { reader } of pages) reader.close();
    await Promise.all(pages.splice(0).map(({ reader }) => reader.ended));
  });

  async function open(
    { id }: Pick<Invoice, "id">,
    options: { headers?: Record<string, string>; at?: TestApi } = {},
  ): Promise<Page> {
    const { headers, at = api } = options;
    const page = await Page.open(at, `/i/${id}/stream`, headers);
    pages.push(page);
    return page;
  }
  const listeners = (db: DataSource) =>
    db.query<{ pid: number }[]>(`SELECT pid FROM pg_stat_activity WHERE ${LISTENS} AND state = 'idle'`);
  /** Makes no change: everything published before has been received when this has arrived. */
  const listening = () => eventually(async () => (await listeners(api.db)).length > 0);

  it("hints at each change of its invoice, and at no other's", async () => {
    const invoice = await stories.invoiceIn("waiting");
    const [page, idle] = [await open(invoice), await open(await stories.invoiceIn("waiting"))];
    expect(page.reader.status).to.equal(200);
    expect(page.reader.headers).to.include({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    await eventually(() => page.heard.length > 0);
    expect(page.reader.text()).to.match(/^retry: [1-4]\d{3}\n\nevent: alive\ndata: \{\}\n\n/);
    await listening();
    /** Whatever was published before has come: the second time it is no more among the heard. */
    const block = async (height: number) => {
      for (const { heard } of [page, idle]) heard.length = 0;
      notifyChanges(api.ctx, [{ topic: "chain", storeId: null, height }]);
      await eventually(() => [page, idle].every(({ heard }) => heard.some(({ name }) => name === "block")));
    };
    await block(TIP + 1);
    await block(TIP + 2);
    await stories.pay(invoice, 9_000n);
    await eventually(() => page.hints().includes("changed"));
    expect(idle.hints()).to.deep.equal(["block"]);
    await block(TIP + 3);
    await block(TIP + 4);
    expect([page.hints(), idle.hints()]).to.deep.equal([["block"], ["block"]]);
  });

  it("hints at what another process changed, in that process too", async () => {
    const other = await startApi({ db: api.db });
    try {
      const invoice = await stories.invoiceIn("waiting");
      const here = await open(invoice);
      const there = await open(invoice, { at: other });
      await listening();
      await Promise.all([here, there].map((page) => eventually(() => page.heard.length > 0)));
      const { storeId } = invoice;
      const { apiKey } = await createApiKey(other.ctx, { storeId, name: "till" });
      const answer = await other.call("POST", `/stores/${storeId}/invoices/${invoice.id}/status`, {
        key: apiKey,
        body: { status: "Invalid" },
      });
      expect(answer.status, answer.text).to.equal(200);
      for (const page of [here, there])
        await eventually(() => page.hints().includes("changed") || page.missed() > 0);
    } finally {
      await stopBeside(other);
    }
  });

  it("says that hints may be missing after the database was not connected", async () => {
    const page = await open(await stories.invoiceIn("waiting"));
    await listening();
    const before = page.missed();
    await api.db.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${LISTENS}`);
    await eventually(() => page.missed() > before);
    expect(page.over).to.equal(false);
  });

  it("ends when the process stops, and accepts no new reader then", async () => {
    const stopping = new AbortController();
    const other = await startApi({ db: api.db, parts: { stopping: stopping.signal } });
    const invoice = await stories.invoiceIn("waiting");
    const page = await open(invoice, { at: other });
    stopping.abort();
    await eventually(() => page.over);
    const late = await open(invoice, { at: other });
    expect(late.reader.status).to.equal(503);
    await stopBeside(other);
  });

  it("exists for GET and HEAD only", async () => {
    const { id } = await stories.invoiceIn("waiting");
    const head = await fetch(`${api.base}/i/${id}/stream`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-type")]).to.deep.equal([
      200,
      "text/event-stream; charset=utf-8",
    ]);
    const post = await fetch(`${api.base}/i/${id}/stream`, { method: "POST" });
    expect([post.status, post.headers.get("allow")]).to.deep.equal([405, "HEAD, GET, OPTIONS"]);
  });

  it("answers 503 while the database was not reached, so that the page polls", async () => {
    const early = await startApi({ db: api.db, parts: { context: () => null } });
    const answer = await fetch(`${early.base}/i/inv_4wBqpZM9k2mAgN8rTzZy7VdQ/stream`);
    expect([answer.status, answer.headers.get("retry-after")]).to.deep.equal([503, "5"]);
    await stopBeside(early);
  });

  it("is limited to 50 pages of one address, independent of others, and counts for the limit of requests", async () => {
    const invoice = await stories.invoiceIn("waiting");
    const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
    await Promise.all(Array.from({ length: 50 }, () => open(invoice, from("192.0.2.1"))));
    const refused = await open(invoice, from("192.0.2.1"));
    expect(refused.reader.status).to.equal(429);
    const neighbour = await open(invoice, from("192.0.2.2"));
    expect(neighbour.reader.status).to.equal(200);
    pages[0]?.reader.close();
    await eventually(async () => (await open(invoice, from("192.0.2.1"))).reader.status === 200);

    const limited = await startApi({ db: api.db, parts: { limits: refusingLimits() } });
    const answer = await fetch(`${limited.base}/i/${invoice.id}/stream`);
    expect([answer.status, answer.headers.get("retry-after")]).to.deep.equal([429, "7"]);
    await stopBeside(limited);
  });

  it("removes the readers of a closed connection, also those whose answers were queued", async () => {
    const invoice = await stories.invoiceIn("waiting");
    const address = "192.0.2.3";
    const request = `GET /i/${invoice.id}/stream HTTP/1.1\r\nHost: pay.example\r\nX-Forwarded-For: ${address}\r\n\r\n`;
    const socket = connect(api.listening.port, "127.0.0.1");
    socket.write(request.repeat(5));
    await once(socket, "data");
    const status = async () =>
      (await open(invoice, { headers: { "x-forwarded-for": address } })).reader.status;
    const held = () => pages.filter(({ reader }) => reader.status === 200).length;
    await eventually(async () => (await status()) === 429);
    expect(held()).to.be.below(50);
    socket.destroy();
    await eventually(async () => ((await status()) === 429 ? held() === 50 : false));
  });

  it("is limited to a number of pages per process", async () => {
    let open = 0;
    const streams = new OpenStreams({
      stopping: new AbortController().signal,
      heartbeatMs: 60_000,
      counted: (by) => void (open += by),
      mostOfOne: 5,
      most: 2,
    });
    const gone = new AbortController();
    const holder = (key: string, signal = new AbortController().signal) => ({ key, gone: signal });
    const kept = [await streams.open(holder("a", gone.signal)), await streams.open(holder("b"))];
    const refused = await streams.open(holder("c")).catch((error: unknown) => error);
    expect(refused).to.include({ code: "unavailable" });
    gone.abort();
    expect(kept.map(({ ended }) => ended)).to.deep.equal([true, false]);
    expect(open).to.equal(1);
    (await streams.open(holder("c"))).end();
    kept[1]?.end();
    expect(open).to.equal(0);
  });

  it("cuts off only a reader that does not read", () => {
    const [slow, quick] = [new EventStream(), new EventStream()];
    slow.writeTo(new Writable({ write: () => undefined }));
    const ends = new PassThrough().resume();
    quick.writeTo(ends);
    for (let n = 0; n < 20_000 && !slow.ended; n++) slow.send("changed", {});
    quick.send("changed", {});
    expect([slow.ended, quick.ended]).to.deep.equal([true, false]);
  });

  /** One that shares the database with the others. */
  async function stopBeside(other: TestApi): Promise<void> {
    for (const { reader } of pages) reader.close();
    await other.listening.close();
  }
});
