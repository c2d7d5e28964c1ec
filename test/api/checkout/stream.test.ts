import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "chai";
import type { DataSource } from "typeorm";
import { OpenStreams } from "../../../api/live/open-streams";
import { en } from "../../../domain/languages/texts/en";
import { createApiKey } from "../../../commands/stores/api-key";
import { notifyChanges } from "../../../commands/server/notify-changes";
import { parseTrustedProxies } from "../../../domain/client-address";
import { ChainBlock } from "../../../entities/chain-block";
import { Invoice } from "../../../entities/invoice";
import type { Store } from "../../../entities/store";
import { readEvents, type EventReader, type HeardEvent } from "../../support/event-reader";
import { checkoutStore, checkoutStories, TIP } from "../../stories/checkout-stories";
import { eventually } from "../../support/eventually";
import { LISTENS, refusingLimits, startApi, type TestApi } from "../server";

interface State {
  version: string;
  phase: string;
  poll: boolean;
  secondsLeft: number | null;
  html: string;
}

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

  states(): State[] {
    return this.heard.filter(({ name }) => name === "message").map(({ data }) => JSON.parse(data) as State);
  }
  phases(): string[] {
    return this.states().map(({ phase }) => phase);
  }
  lastId(): string {
    return this.heard.findLast(({ id }) => id !== "")?.id ?? "";
  }
  untilPhase(phase: string): Promise<unknown> {
    return eventually(() => this.phases().at(-1) === phase);
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
    options: { query?: string; headers?: Record<string, string>; at?: TestApi } = {},
  ): Promise<Page> {
    const { query = "?lang=en", headers, at = api } = options;
    const page = await Page.open(at, `/i/${id}/stream${query}`, headers);
    pages.push(page);
    return page;
  }
  const stateOf = async ({ id }: Pick<Invoice, "id">, query = "?lang=en") => {
    const answer = await fetch(`${api.base}/i/${id}/state${query}`);
    return { etag: answer.headers.get("etag"), state: (await answer.json()) as State };
  };
  const listeners = (db: DataSource) =>
    db.query<{ pid: number }[]>(`SELECT pid FROM pg_stat_activity WHERE ${LISTENS} AND state = 'idle'`);
  /** Makes no change: everything published before has been received when this has arrived. */
  const listening = () => eventually(async () => (await listeners(api.db)).length > 0);

  it("sends at once what /state answers, under its version, and each later state as it comes", async () => {
    const invoice = await stories.invoiceIn("waiting");
    const page = await open(invoice);
    expect(page.reader.status).to.equal(200);
    expect(page.reader.headers).to.include({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    await page.untilPhase("waiting");
    const { etag, state } = await stateOf(invoice);
    const [first] = page.states();
    expect({ ...first, secondsLeft: null }).to.deep.equal({ ...state, secondsLeft: null });
    expect(first?.secondsLeft).to.be.within(840, 900);
    expect(`"${page.lastId()}"`).to.equal(etag);
    expect(page.reader.text()).to.match(/^retry: [1-4]\d{3}\n\nevent: alive\ndata: \{\}\n\nid: /);
    await stories.pay(invoice, 9_000n);
    await page.untilPhase("partial");
    await stories.pay(invoice, 13_728n);
    await page.untilPhase("seen");
  });

  it("sends nothing to a reader with the present version until it changes, by Last-Event-ID or by its address", async () => {
    const invoice = await stories.invoiceIn("waiting");
    const { version } = (await stateOf(invoice)).state;
    const back = await open(invoice, { headers: { "last-event-id": version } });
    const loaded = await open(invoice, { query: `?lang=en&version=${version}` });
    const german = await open(invoice, { query: "?lang=de", headers: { "last-event-id": version } });
    const old = await open(invoice, { headers: { "last-event-id": "of yesterday" } });
    await old.untilPhase("waiting");
    await german.untilPhase("waiting");
    expect(german.states()[0]?.html).not.to.include(en.waitingText.slice(0, 20));
    await stories.pay(invoice, 9_000n);
    for (const page of [back, loaded]) {
      await page.untilPhase("partial");
      expect(page.phases()).to.deep.equal(["partial"]);
    }
  });

  it("ends when nothing can change any more, and is not opened again then", async () => {
    const invoice = await stories.invoiceIn("waiting");
    const page = await open(invoice);
    await page.untilPhase("waiting");
    await stories.paidBy(invoice);
    await eventually(() => page.over);
    expect(page.states().at(-1)).to.include({ phase: "paid", poll: false });
    const again = await open(invoice, { headers: { "last-event-id": page.lastId() } });
    expect(again.reader.status, "which an EventSource takes for the end").to.equal(204);
    const late = await open(invoice);
    await eventually(() => late.over);
    expect(late.phases()).to.deep.equal(["paid"]);
  });

  it("sends the end of the time by its own timer, and then the decision", async () => {
    const invoice = await stories.make({ expiresInSeconds: 60 });
    /** A page that shows the invoice before its end: with more time where the first read takes long. */
    const openBefore = async (leftMs: number): Promise<Page> => {
      await api.db.query(
        "UPDATE invoices SET expires_at = clock_timestamp() + $2 * interval '1 ms' WHERE id = $1",
        [invoice.id, leftMs],
      );
      const page = await open(invoice);
      await eventually(() => page.states().length > 0);
      return page.phases()[0] === "waiting" ? page : openBefore(leftMs * 4);
    };
    const page = await openBefore(700);
    await page.untilPhase("checking");
    expect(page.phases()).to.deep.equal(["waiting", "checking"]);
    expect(page.states()[0]?.secondsLeft).to.be.a("number");
    expect(page.states()[1]?.secondsLeft).to.equal(null);
    await stories.expire(invoice);
    await page.untilPhase("expired");
    expect(page.over, "a late payment may still come").to.equal(false);
  });

  it("counts blocks for readers that wait for them, and reads nothing for others", async () => {
    const seen = await stories.invoiceIn("seen");
    const waiting = await stories.invoiceIn("waiting");
    const [counting, idle] = [await open(seen), await open(waiting)];
    await counting.untilPhase("seen");
    await idle.untilPhase("waiting");
    await listening();
    const hash = "11".repeat(32);
    try {
      await api.db.manager.insert(ChainBlock, { height: TIP + 1, hash, previousHash: "00".repeat(32) });
      notifyChanges(api.ctx, [{ topic: "chain", storeId: null, height: TIP + 1 }]);
      await eventually(() => counting.states().length === 2);
      expect(counting.states()[1]?.html).to.include("Confirmations: 2 of 3");
      expect(idle.states()).to.have.length(1);
    } finally {
      await api.db.manager.delete(ChainBlock, { hash });
    }
  });

  it("sends what another process changed, to that process's pages too", async () => {
    const other = await startApi({ db: api.db });
    try {
      const invoice = await stories.invoiceIn("waiting");
      const here = await open(invoice);
      const there = await open(invoice, { at: other });
      await Promise.all([here.untilPhase("waiting"), there.untilPhase("waiting")]);
      const { storeId } = invoice;
      const { apiKey } = await createApiKey(other.ctx, { storeId, name: "till" });
      const answer = await other.call("POST", `/stores/${storeId}/invoices/${invoice.id}/status`, {
        key: apiKey,
        body: { status: "Invalid" },
      });
      expect(answer.status, answer.text).to.equal(200);
      await Promise.all([here.untilPhase("invalid"), there.untilPhase("invalid")]);
    } finally {
      await stopBeside(other);
    }
  });

  it("sends everything that came while the database was not connected", async () => {
    const invoice = await stories.invoiceIn("waiting");
    const page = await open(invoice);
    await page.untilPhase("waiting");
    await listening();
    await api.db.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${LISTENS}`);
    await stories.paidBy(invoice);
    await eventually(() => page.over);
    expect(page.phases().at(-1)).to.equal("paid");
  });

  it("sends a change that could not be read at its notification", async () => {
    let away = false;
    const other = await startApi({ db: api.db, parts: { context: () => (away ? null : api.ctx) } });
    const invoice = await stories.invoiceIn("waiting");
    const page = await open(invoice, { at: other });
    await page.untilPhase("waiting");
    await listening();
    away = true;
    await stories.pay(invoice, 9_000n);
    await eventually(() => other.ctx.lines.some(({ message }) => message === "checkout: live update failed"));
    expect(page.over).to.equal(false);
    away = false;
    await page.untilPhase("partial");
    await stopBeside(other);
  });

  it("ends when the process stops, and accepts no new reader then", async () => {
    const stopping = new AbortController();
    const other = await startApi({ db: api.db, parts: { stopping: stopping.signal } });
    const invoice = await stories.invoiceIn("waiting");
    const page = await open(invoice, { at: other });
    await page.untilPhase("waiting");
    stopping.abort();
    await eventually(() => page.over);
    const late = await open(invoice, { at: other });
    expect(late.reader.status).to.equal(503);
    await stopBeside(other);
  });

  it("exists for GET and HEAD only, for invoices that exist", async () => {
    const { id } = await stories.invoiceIn("waiting");
    const head = await fetch(`${api.base}/i/${id}/stream`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-type")]).to.deep.equal([
      200,
      "text/event-stream; charset=utf-8",
    ]);
    const post = await fetch(`${api.base}/i/${id}/stream`, { method: "POST" });
    expect([post.status, post.headers.get("allow")]).to.deep.equal([405, "HEAD, GET, OPTIONS"]);
    for (const unknown of ["inv_4wBqpZM9k2mAgN8rTzZy7VdQ", "nothing", "%00"])
      expect((await fetch(`${api.base}/i/${unknown}/stream`)).status, unknown).to.equal(404);
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

  it("is limited to a number of pages per process", () => {
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
    const kept = [streams.open(holder("a", gone.signal)), streams.open(holder("b"))];
    expect(() => streams.open(holder("c")))
      .to.throw("Too many live connections")
      .with.property("code", "unavailable");
    gone.abort();
    expect(kept.map(({ ended }) => ended)).to.deep.equal([true, false]);
    expect(open).to.equal(1);
    streams.open(holder("c")).end();
    kept[1]?.end();
    expect(open).to.equal(0);
  });

  it("cuts off only a reader that does not read", async () => {
    const invoice = await stories.invoiceIn("waiting");
    const [slow, quick] = [await open(invoice), await open(invoice)];
    await Promise.all([slow.untilPhase("waiting"), quick.untilPhase("waiting")]);
    await listening();
    slow.reader.pause();
    // More than two kernels keep for it.
    for (let n = 1; n <= 40; n++) {
      const description = `number ${n}, ${"x".repeat(600_000)}`;
      await api.db.manager.update(Invoice, invoice.id, { description });
      notifyChanges(api.ctx, [{ topic: "invoices", storeId: store.id, invoiceId: invoice.id }]);
      await eventually(() => quick.states().at(-1)?.html.includes(`number ${n},`) === true, 30_000, 2);
      quick.heard.splice(0, quick.heard.length - 1);
    }
    slow.reader.resume();
    await eventually(() => slow.over);
    expect(slow.states().at(-1)?.html).not.to.include("number 40,");
    expect(quick.over).to.equal(false);
  });

  /** One that shares the database with the others. */
  async function stopBeside(other: TestApi): Promise<void> {
    for (const { reader } of pages) reader.close();
    await other.listening.close();
  }
});
