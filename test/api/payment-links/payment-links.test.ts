import { expect } from "chai";
import { expectRefused, pointers, startApi, type Answer, type TestApi, type TestStore } from "../server";

const TEA = { description: "Tea", currency: "EUR", amounts: ["12.50"] };
const OWN = { description: "Till", currency: "EUR", minAmount: "0.50", maxAmount: "500" };

describe("API: payment links", () => {
  let api: TestApi;
  let shop: TestStore;
  before(async () => (api = await startApi()));
  beforeEach(async () => (shop = await api.store()));
  after(() => api.stop());

  const call = (method: string, rest = "", body?: object): Promise<Answer> =>
    api.call(method, `/stores/${shop.storeId}/payment-links${rest}`, { key: shop.apiKey, body });
  const make = async (body: object = TEA): Promise<Record<string, unknown>> => {
    const answer = await call("POST", "", body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.json;
  };
  const page = (id: unknown) => fetch(`${api.base}/p/${String(id)}`);

  it("creates, lists, reads, changes, archives and deletes one", async () => {
    const made = await make({ ...TEA, maxUses: 20 });
    const { linkId } = made;
    expect(made).to.include({ ...TEA, amounts: made["amounts"], maxPerDay: 1_000, uses: 0, archived: false });
    expect(made["url"]).to.equal(`${api.ctx.settings.publicUrl}/p/${String(linkId)}`);
    const rest = `/${String(linkId)}`;
    expect((await call("GET", rest)).json).to.deep.equal(made);
    expect((await call("GET")).json.data).to.deep.equal([made]);
    const changes = { amounts: null, minAmount: "1", maxAmount: "50", maxUses: null };
    const changed = await call("PATCH", rest, changes);
    expect(changed.json).to.deep.equal({ ...made, ...changes, uses: null });
    expect((await call("POST", `${rest}/archive`)).json["archived"]).to.equal(true);
    expect((await page(linkId)).status).to.equal(410);
    expect((await call("POST", `${rest}/unarchive`)).json["archived"]).to.equal(false);
    expect((await page(linkId)).status).to.equal(200);
    expect((await call("DELETE", rest)).status).to.equal(204);
    expect([(await call("GET", rest)).json.code, (await page(linkId)).status]).to.deep.equal([
      "payment-link-not-found",
      404,
    ]);
    const audit = await api.db.query<{ action: string }[]>(
      "SELECT action FROM audit_log WHERE store_id = $1 AND action LIKE 'payment-link.%' ORDER BY at, id",
      [shop.storeId],
    );
    expect(audit.map(({ action }) => action.replace("payment-link.", ""))).to.have.members([
      "created",
      "changed",
      "archived",
      "unarchived",
      "deleted",
    ]);
  });

  for (const [name, body, pointer] of [
    ["no choices", { ...TEA, amounts: [] }, "/amounts"],
    ["no price at all", { description: "Tea", currency: "EUR" }, "/amounts"],
    ["two kinds of price", { ...TEA, minAmount: "1", maxAmount: "2" }, "/amounts"],
    ["an amount twice", { ...TEA, amounts: ["5", "5.00"] }, "/amounts"],
    ["an amount that is too fine", { ...TEA, amounts: ["5", "5.001"] }, "/amounts/1"],
    ["an amount of zero", { ...TEA, amounts: ["0"] }, "/amounts/0"],
    ["a minimum above the maximum", { ...OWN, minAmount: "501" }, "/minAmount"],
    ["a minimum without a maximum", { ...OWN, maxAmount: null }, "/maxAmount"],
    ["an unknown currency", { ...TEA, currency: "XXX" }, "/currency"],
    ["an end in the past", { ...TEA, endsAt: "2020-01-01T00:00:00Z" }, "/endsAt"],
    ["an empty description", { ...TEA, description: " " }, "/description"],
  ] as const)
    it(`refuses ${name}, by its name`, async () => {
      const refused = await call("POST", "", body);
      expectRefused(refused, 422, "validation-failed");
      expect(pointers(refused)).to.deep.equal([pointer]);
    });

  it("refuses a change that leaves no valid price, or ends in the past, and keeps what was", async () => {
    const made = await make(OWN);
    const rest = `/${String(made["linkId"])}`;
    for (const [body, pointer] of [
      [{ minAmount: "501" }, "/minAmount"],
      [{ amounts: ["5"] }, "/amounts"],
      [{ endsAt: "2020-01-01T00:00:00Z" }, "/endsAt"],
    ] as const)
      expect(pointers(await call("PATCH", rest, body))).to.deep.equal([pointer]);
    expect((await call("GET", rest)).json).to.deep.equal(made);
  });
});
