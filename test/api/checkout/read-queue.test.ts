import { expect } from "chai";
import { ReadQueue } from "../../../api/checkout/read-queue";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildInvoice, buildStore } from "../../support/factories";

describe("the queue of what open checkouts read", () => {
  let ctx: TestContext;
  let ids: string[];
  /** The context is asked for once a batch. */
  let batches: number;
  let queue: ReadQueue;
  before(async () => {
    ctx = await testContext({ db: await testDatabase() });
    const store = await buildStore(ctx);
    ids = [];
    for (let n = 0; n < 60; n++) ids.push((await buildInvoice(ctx, { store })).invoice.id);
  });
  after(() => ctx.db.destroy());
  beforeEach(() => {
    batches = 0;
    queue = new ReadQueue(() => {
      batches += 1;
      return ctx;
    });
  });

  it("reads fifty invoices with the same queries, and each once for any number of requests", async () => {
    const twice = [...ids, ...ids];
    const found = await Promise.all(twice.map((id) => queue.read(id, "later")));
    expect(found.map((facts) => facts?.view.invoice.id)).to.deep.equal(twice);
    expect(batches).to.equal(2);
  });

  it("reads requested invoices before polled ones", async () => {
    const order: string[] = [];
    const note = (name: string) => () => order.push(name);
    const later = ids.map((id) => queue.read(id, "later"));
    void later[49]?.then(note("later"));
    const last = ids[59] ?? "";
    await Promise.all([queue.read(last, "soon").then(note("soon")), ...later]);
    expect(order).to.deep.equal(["soon", "later"]);
    expect(batches).to.equal(2);
  });

  it("reads an invoice again for a request that comes while it is read", async () => {
    const [id = ""] = ids;
    const first = queue.read(id, "soon");
    while (batches === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = queue.read(id, "soon");
    await Promise.all([first, second]);
    expect(batches).to.equal(2);
  });

  it("answers null for an unknown invoice, and fails only the requests made while the database was away", async () => {
    expect(await queue.read("inv_4wBqpZM9k2mAgN8rTzZy7VdQ", "soon")).to.equal(null);
    let away = true;
    const other = new ReadQueue(() => (away ? null : ctx));
    const failed = await Promise.allSettled(ids.map((id) => other.read(id, "later")));
    expect(new Set(failed.map(({ status }) => status))).to.deep.equal(new Set(["rejected"]));
    away = false;
    expect((await other.read(ids[0] ?? "", "soon"))?.view.invoice.id).to.equal(ids[0]);
  });

  it("does not wait for a silent database: requests are refused, and the next batch is read", async () => {
    const other = new ReadQueue(() => ctx, 3_000);
    const [id = ""] = ids;
    await ctx.db.transaction(async (manager) => {
      await manager.query("LOCK TABLE invoices IN ACCESS EXCLUSIVE MODE");
      const failed = await Promise.allSettled([other.read(id, "later")]);
      expect(failed).to.have.nested.property("[0].reason.code", "unavailable");
    });
    expect((await other.read(id, "later"))?.view.invoice.id).to.equal(id);
  });
});
