import { expect } from "chai";
import { Store } from "../../../entities/store";
import { checkoutStore, checkoutStories } from "../../stories/checkout-stories";
import { startApi, type TestApi } from "../server";

describe("the checkout of an invoice with a lazy address", () => {
  let api: TestApi;
  let store: Store;
  let stories: ReturnType<typeof checkoutStories>;
  before(async () => (api = await startApi()));
  beforeEach(async () => {
    store = await checkoutStore(api.ctx);
    await api.db.manager.update(Store, store.id, { lazyAddresses: true });
    stories = checkoutStories(api.ctx, store);
  });
  after(() => api.stop());

  const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(api.base + path, { method, headers });
  const addressOf = async (id: string): Promise<string | null> => {
    const [method] = await api.db.query<{ destination: string | null }[]>(
      "SELECT destination FROM invoice_payment_methods WHERE invoice_id = $1 AND type = 'BTC-CHAIN'",
      [id],
    );
    return method?.destination ?? null;
  };

  it("takes the address when the page is opened, and shows it at once", async () => {
    const { id } = await stories.make();
    expect(await addressOf(id)).to.equal(null);
    const answer = await get(`/i/${id}`);
    expect([answer.status, answer.headers.get("refresh")]).to.deep.equal([200, null]);
    const markup = await answer.text();
    const address = await addressOf(id);
    expect(address).to.match(/^bcrt1q/);
    expect(markup).to.include(`href="bitcoin:${address}?amount=0.00022728"`).and.to.include('class="qr"');
    expect(await (await get(`/i/${id}`)).text()).to.include(`bitcoin:${address}?`);
  });

  it("takes none for a HEAD, or for a poll", async () => {
    const { id } = await stories.make();
    expect((await get(`/i/${id}`, {}, "HEAD")).status).to.equal(200);
    expect((await get(`/i/${id}/state`)).status).to.equal(200);
    expect(await addressOf(id)).to.equal(null);
  });
});
