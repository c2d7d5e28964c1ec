import { expect } from "chai";
import { startApi, type Answer, type TestApi, type TestStore } from "../server";

const ids = ({ json }: Answer): string[] => json.data.map(({ invoiceId }) => invoiceId);

describe("API: lists", () => {
  let api: TestApi;
  let shop: TestStore;
  before(async () => (api = await startApi()));
  beforeEach(async () => (shop = await api.store()));
  after(() => api.stop());

  const list = (query = "") =>
    api.call("GET", `/stores/${shop.storeId}/invoices${query}`, { key: shop.apiKey });
  async function create(fields: object = {}): Promise<string> {
    const { json } = await api.call("POST", `/stores/${shop.storeId}/invoices`, {
      key: shop.apiKey,
      body: { amount: "1000", currency: "SATS", ...fields },
    });
    return json.invoiceId;
  }
  const several = async (count: number) => {
    const made: string[] = [];
    for (let index = 0; index < count; index++) made.unshift(await create());
    return made;
  };
  async function pages(query: string, between: () => Promise<unknown> = () => Promise.resolve()) {
    const found: string[] = [];
    for (let cursor = ""; ; await between()) {
      const answer = await list(`?${query}${cursor && `&cursor=${cursor}`}`);
      expect(answer.status, answer.text).to.equal(200);
      found.push(...ids(answer));
      if (answer.json.nextCursor === null) return found;
      cursor = answer.json.nextCursor;
    }
  }

  it("end exactly: no page after a full last one", async () => {
    const made = await several(4);
    const first = await list("?limit=2");
    const second = await list(`?limit=2&cursor=${first.json.nextCursor}`);
    expect([...ids(first), ...ids(second)]).to.deep.equal(made);
    expect(second.json.nextCursor).to.equal(null);
  });

  it("lose and repeat nothing while invoices are added between pages", async () => {
    const made = await several(7);
    expect(await pages("limit=2", () => create())).to.deep.equal(made);
  });

  it("distinguish invoices of one microsecond and of neighbouring ones", async () => {
    const made = await several(6);
    await api.db.query(
      `UPDATE invoices SET created_at = TIMESTAMPTZ '2026-01-01T00:00:00.123456Z'
          + (CASE WHEN id = ANY($2) THEN 1 ELSE 0 END) * INTERVAL '1 microsecond' WHERE store_id = $1`,
      [shop.storeId, made.slice(0, 3)],
    );
    const paged = await pages("limit=1");
    expect(paged).to.have.members(made).and.to.have.length(6);
    expect(paged.slice(0, 3)).to.have.members(made.slice(0, 3));
    expect(ids(await list("?createdFrom=2026-01-01T00:00:00.123457Z"))).to.have.members(made.slice(0, 3));
    expect(ids(await list("?createdTo=2026-01-01T00:00:00.123457Z"))).to.have.members(made.slice(3));
    expect(ids(await list("?createdTo=2026-01-01T01:00:00.123457%2B01:00"))).to.have.members(made.slice(3));
  });

  it("page through several statuses as through one, with any other filter", async () => {
    const made = await several(9);
    const statusOf = (at: number) => ["New", "Settled", "Invalid"][at % 3];
    for (const [at, id] of made.entries()) {
      if (statusOf(at) !== "New")
        await api.call("POST", `/stores/${shop.storeId}/invoices/${id}/status`, {
          key: shop.apiKey,
          body: { status: statusOf(at) },
        });
      // Two in each minute: rows with the same time are distinguished by their ids.
      await api.db.query(
        `UPDATE invoices SET created_at = TIMESTAMPTZ '2026-01-01T00:00:00Z' - $2 * INTERVAL '1 minute' WHERE id = $1`,
        [id, Math.floor(at / 2)],
      );
    }
    const { json } = await list("?limit=200");
    const all = json.data.map(({ invoiceId }) => invoiceId);
    const wanted = all.filter((id) => statusOf(made.indexOf(id)) !== "Settled");
    expect(wanted).to.have.length(6);
    for (const limit of [1, 2, 5, 6, 7])
      expect(await pages(`status=New&status=Invalid&limit=${limit}`), String(limit)).to.deep.equal(wanted);
    expect(await pages("status=Invalid&status=New&status=Invalid&limit=4")).to.deep.equal(wanted);
    expect(await pages("status=Processing&status=Expired&limit=4")).to.deep.equal([]);
    const until = "createdTo=2025-12-31T23:59:00Z";
    expect(await pages(`status=New&status=Invalid&limit=2&${until}`)).to.deep.equal(
      (await pages(until)).filter((id) => wanted.includes(id)),
    );
    const [first = ""] = wanted;
    expect(await pages(`status=New&status=Invalid&q=${first}`)).to.deep.equal([first]);
    expect(await pages(`status=Expired&status=Settled&q=${first}`)).to.deep.equal([]);
  });

  it("filter by status, additional status, order id, archive and every kind of q", async () => {
    const [settled = "", fresh = ""] = [await create({ metadata: { orderId: "O 1" } }), await create()];
    await api.call("POST", `/stores/${shop.storeId}/invoices/${settled}/status`, {
      key: shop.apiKey,
      body: { status: "Settled" },
    });
    const { json: invoice } = await api.call("GET", `/stores/${shop.storeId}/invoices/${settled}`, {
      key: shop.apiKey,
    });
    const address: string = invoice.paymentMethods[0].destination;

    expect(ids(await list("?status=Settled"))).to.deep.equal([settled]);
    expect(ids(await list("?status=Settled&status=New"))).to.deep.equal([fresh, settled]);
    expect(ids(await list("?additionalStatus=None"))).to.deep.equal([fresh, settled]);
    expect(ids(await list("?additionalStatus=Overpaid"))).to.deep.equal([]);
    expect(ids(await list("?orderId=O+1"))).to.deep.equal([settled]);
    expect(ids(await list("?orderId=O"))).to.deep.equal([]);
    for (const q of ["O+1", settled, address, address.toUpperCase()])
      expect(ids(await list(`?q=${q}`)), q).to.deep.equal([settled]);
    expect(ids(await list("?q=nothing"))).to.deep.equal([]);
    expect(ids(await list(`?q=${settled}&status=New`))).to.deep.equal([]);

    expect(ids(await list("?archived=true"))).to.deep.equal([]);
    await api.db.query("UPDATE invoices SET archived_at = now() WHERE id = $1", [settled]);
    expect(ids(await list("?archived=true"))).to.deep.equal([settled]);
    expect(ids(await list("?archived=false"))).to.deep.equal([fresh]);
    expect(ids(await list())).to.deep.equal([fresh]);
  });

  it("find by parts of order id and description, in any case, and by amount and currency", async () => {
    const tea = { metadata: { orderId: "STATE-over_2026" }, description: "Darjeeling, 100% first flush" };
    const byName: Record<string, string> = {
      tea: await create({ ...tea, amount: "49.90", currency: "EUR" }),
      pot: await create({
        metadata: { orderId: "A-1001" },
        description: "Pot",
        amount: "1234.5",
        currency: "EUR",
      }),
      sats: await create({ metadata: { orderId: "B_1" }, amount: "49900", currency: "SATS" }),
    };
    const found = async (search: string) =>
      ids(await list(`?search=${encodeURIComponent(search)}`)).map((id) =>
        Object.keys(byName).find((name) => byName[name] === id),
      );
    const searches: Record<string, string[]> = {
      state: ["tea"],
      "TE-OVER": ["tea"],
      darjeeling: ["tea"],
      "flush FIRST": ["tea"],
      "first pot": [],
      "49.90": ["tea"],
      "49,9 eur": ["tea"],
      "€49.90": ["tea"],
      "49.90 USD": [],
      "9.90 EUR": [],
      "€ 1.234,50": ["pot"],
      "1,234.5": ["pot"],
      "001": ["pot"],
      "49900sats": ["sats"],
      b_: ["sats"],
      "100%": ["tea"],
      "%": [],
      over_2: ["tea"],
      "1_": [],
      [byName["pot"] ?? ""]: ["pot"],
      ["ab".repeat(32)]: [],
    };
    for (const [search, wanted] of Object.entries(searches))
      expect(await found(search), search).to.deep.equal(wanted);
    expect(ids(await list("?search=eur&status=New&status=Settled&limit=1"))).to.deep.equal([byName["pot"]]);
    const address = await api.call("GET", `/stores/${shop.storeId}/invoices/${byName["pot"]}`, {
      key: shop.apiKey,
    });
    expect(await found(address.json.paymentMethods[0].destination)).to.deep.equal(["pot"]);
    const other = await api.store();
    const theirs = await api.call("GET", `/stores/${other.storeId}/invoices?search=state`, {
      key: other.apiKey,
    });
    expect(theirs.json.data).to.deep.equal([]);
  });

  it("never find another store's invoices, by any q", async () => {
    const theirs = await create({ metadata: { orderId: "secret" } });
    const { json } = await api.call("GET", `/stores/${shop.storeId}/invoices/${theirs}`, {
      key: shop.apiKey,
    });
    const other = await api.store();
    for (const q of [theirs, "secret", json.paymentMethods[0].destination]) {
      const answer = await api.call("GET", `/stores/${other.storeId}/invoices?q=${q}`, { key: other.apiKey });
      expect(answer.json).to.deep.equal({ data: [], nextCursor: null });
    }
  });

  const wrong: [string, string][] = [
    ["limit=1e2", "/limit"],
    ["limit=1&limit=2", "/limit"],
    ["cursor=", "/cursor"],
    ["cursor=nonsense", "/cursor"],
    [`cursor=${Buffer.from("9999999999999999999.inv_x").toString("base64url")}`, "/cursor"],
    [`cursor=${Buffer.from("1.' OR 1=1").toString("base64url")}`, "/cursor"],
    ["status=New&status=", "/status/1"],
    ["createdFrom=2026-02-30T00:00:00Z", "/createdFrom"],
    ["createdFrom=0000-01-01T00:00:00Z", "/createdFrom"],
    ["createdTo=2026-01-01T00:00:00%2B23:00", "/createdTo"],
    ["createdTo=2026-02-30", "/createdTo"],
    ["q=%00", "/q"],
    ["orderId=a%00", "/orderId"],
    ["__proto__=1", "/__proto__"],
  ];
  for (const [query, pointer] of wrong)
    it(`refuse ?${query} by name`, async () => {
      const { status, json, text } = await list(`?${query}`);
      expect([status, json.code], text).to.deep.equal([422, "validation-failed"]);
      expect(json.errors.map(({ pointer }) => pointer)).to.deep.equal([pointer]);
    });
});
