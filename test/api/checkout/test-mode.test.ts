import { Transaction } from "bitcoinjs-lib";
import { expect } from "chai";
import { makeTestCustomer } from "../../../adapters/http/test-customer";
import type { AppDependencies } from "../../../api/app";
import { TEST_ACTIONS } from "../../../api/checkout/page/test-panel";
import { NETWORKS } from "../../../domain/network";
import { Invoice } from "../../../entities/invoice";
import { openCustomerDoor, type CustomerDoor } from "../../../scripts/demo/customer-door";
import { customerOf } from "../../../scripts/demo/node";
import { SimulatedNode } from "../../support/devnet/simulated-node";
import { freePort } from "../../../scripts/devnet/free-port";
import { checkoutStore, checkoutStories } from "../../stories/checkout-stories";
import { startApi, type TestApi } from "../server";

const SUMMARY = "Test mode: a simulated customer";

describe("the checkout's test mode", function () {
  this.timeout(60_000);
  let node: SimulatedNode;
  let door: CustomerDoor;
  let api: TestApi;
  let stories: ReturnType<typeof checkoutStories>;
  before(async () => {
    node = await SimulatedNode.start();
    door = await openCustomerDoor({
      onChain: await customerOf({ rpcUrl: node.rpcUrl }),
      lightning: null,
    });
    api = await startApi({ parts: { testCustomer: makeTestCustomer(door.url) } });
    stories = checkoutStories(api.ctx, await checkoutStore(api.ctx));
  });
  after(async () => {
    await api.stop();
    await door.close();
    await node.stop();
  });

  const OWN_PAGE = { "sec-fetch-site": "same-origin" };
  const press = (
    { id }: Pick<Invoice, "id">,
    action: string,
    headers: Record<string, string> = OWN_PAGE,
    base = api.base,
  ) => fetch(`${base}/i/${id}/test/${action}`, { method: "POST", headers, redirect: "manual" });
  const page = async ({ id }: Pick<Invoice, "id">, base = api.base) => {
    const answer = await fetch(`${base}/i/${id}`);
    return { policy: answer.headers.get("content-security-policy"), markup: await answer.text() };
  };
  const reread = ({ id }: Invoice) => api.db.manager.findOneByOrFail(Invoice, { id });

  /** Another api on the same database. */
  async function withApi(
    parts: Partial<AppDependencies>,
    use: (base: string) => Promise<void>,
  ): Promise<void> {
    const other = await startApi({ db: api.db, parts });
    try {
      await use(other.base);
    } finally {
      await other.listening.close();
    }
  }

  async function expectNone(invoice: Invoice, base: string): Promise<void> {
    const { markup } = await page(invoice, base);
    expect(markup)
      .to.include(invoice.id)
      .and.not.to.match(/test-mode|\/test\/|simulated/i);
    for (const action of TEST_ACTIONS)
      for (const method of ["POST", "GET", "PUT"]) {
        const answer = await fetch(`${base}/i/${invoice.id}/test/${action}`, { method, headers: OWN_PAGE });
        expect(answer.status, `${method} ${action}`).to.equal(404);
      }
    const { status, expiresAt } = await reread(invoice);
    expect({ status, expiresAt }).to.deep.equal({ status: invoice.status, expiresAt: invoice.expiresAt });
  }

  for (const network of NETWORKS.filter((name) => name !== "regtest"))
    it(`is missing on ${network}, whatever is configured: no panel, and no such addresses`, async () => {
      const invoice = await stories.make();
      await withApi({ network, testCustomer: makeTestCustomer(door.url) }, (base) =>
        expectNone(invoice, base),
      );
    });

  it("is missing on regtest when no customer is configured", async () => {
    const invoice = await stories.make();
    await withApi({ testCustomer: null }, (base) => expectNone(invoice, base));
  });

  it("has the buttons that the customer supports, and a form that posts only to us", async () => {
    const invoice = await stories.make();
    const { policy, markup } = await page(invoice);
    expect(markup).to.include(SUMMARY);
    expect(policy).to.include("form-action 'self'");
    for (const action of TEST_ACTIONS)
      expect(markup.includes(`formaction="/i/${invoice.id}/test/${action}"`), action).to.equal(
        action !== "lightning",
      );
  });

  it("says that the customer is away, and still lets the time run out", async () => {
    const invoice = await stories.make();
    const nobody = makeTestCustomer(`http://127.0.0.1:${await freePort()}/`);
    await withApi({ testCustomer: nobody }, async (base) => {
      const { markup } = await page(invoice, base);
      expect(markup).to.include("The simulated customer does not answer").and.not.to.include("/test/full");
      const refused = await press(invoice, "full", OWN_PAGE, base);
      expect([refused.status, await refused.json()]).to.deep.equal([
        422,
        { reason: "The simulated customer does not answer. Is it running?" },
      ]);
      expect((await press(invoice, "expire", OWN_PAGE, base)).status).to.equal(204);
    });
  });

  it("pays the amounts that its buttons say", async () => {
    const partial = async () => stories.invoiceIn("partial"); // 9,000 sats of 22,728 came in
    const presses: [action: string, invoice: Invoice, sats: number][] = [
      ["full", await stories.make(), 22_728],
      ["half", await stories.make(), 11_364],
      ["too-much", await stories.make(), 22_728 + 4_546],
      ["full", await partial(), 13_728],
      ["too-much", await partial(), 13_728 + 4_546],
      ["late", await stories.invoiceIn("expired"), 22_728],
      ["late", await stories.invoiceIn("underpaid"), 13_728],
    ];
    const answers = await Promise.all(presses.map(([action, invoice]) => press(invoice, action)));
    expect(answers.map(({ status }) => status)).to.deep.equal(presses.map(() => 204));
    const received = new Map<string, number>();
    for (const txid of await node.rpc<string[]>("getrawmempool")) {
      const tx = Transaction.fromHex(await node.rpc<string>("getrawtransaction", txid));
      for (const { script, value } of tx.outs)
        received.set(Buffer.from(script).toString("hex"), Number(value));
    }
    for (const [action, { id, status }, sats] of presses) {
      const [script] = await api.db.query<{ hex: string }[]>(
        "SELECT encode(script_pub_key, 'hex') AS hex FROM watched_scripts WHERE invoice_id = $1",
        [id],
      );
      expect(received.get(script?.hex ?? ""), `${action} when ${status}`).to.equal(sats);
    }
    await node.mine(1);
  });

  it("refuses with a text what does not fit the invoice's state, and pays nothing", async () => {
    const nonsense = [
      ...[
        ["waiting", "late"],
        ["waiting", "mine"],
        ["expired", "full"],
        ["expired", "expire"],
      ],
      ...[
        ["paid", "full"],
        ["paid", "double-spend"],
        ["invalid", "late"],
        ["checking", "lightning"],
      ],
    ] as const;
    for (const [phase, action] of nonsense) {
      const answer = await press(await stories.invoiceIn(phase), action);
      expect([answer.status, await answer.json()], `${action} when ${phase}`).to.deep.equal([
        422,
        { reason: "The invoice has changed in the meantime, so this is no longer possible." },
      ]);
    }
    expect(await node.rpc<string[]>("getrawmempool")).to.deep.equal([]);
    const foreign = await press(await stories.invoiceIn("partial"), "double-spend");
    expect(await foreign.json()).to.deep.equal({
      reason: "The customer has paid nothing to this address yet.",
    });
    const over = await stories.invoiceIn("seen");
    expect((await press(over, "expire")).status).to.equal(204);
    const again = await press(over, "expire");
    expect(await again.json()).to.deep.equal({ reason: "The invoice has already expired." });
  });

  it("creates another invoice with the same price, in any state of this one", async () => {
    const invoice = await stories.invoiceIn("expired", { language: "pt-BR" });
    const answer = await press(invoice, "another");
    expect(answer.status).to.equal(303);
    const id = answer.headers.get("location")?.replace("/i/", "") ?? "";
    const made = await reread({ ...invoice, id });
    expect(made).to.include({ status: "New", storeId: invoice.storeId, currency: "EUR", language: "pt-BR" });
    expect(made).to.include({ orderId: invoice.orderId, redirectUrl: invoice.redirectUrl, amount: "12.50" });
    expect(made.id).not.to.equal(invoice.id);
  });

  it("answers to its own page only", async () => {
    const invoice = await stories.make();
    const foreign = { "sec-fetch-site": "cross-site" };
    expect((await press(invoice, "expire", foreign)).status).to.equal(403);
    expect((await reread(invoice)).expiresAt).to.deep.equal(invoice.expiresAt);
  });

  it("refuses unknown buttons and unknown invoices", async () => {
    const invoice = await stories.make();
    expect((await press(invoice, "steal")).status).to.equal(404);
    expect((await press({ id: "inv_4wBqpZM9k2mAgN8rTzZy7VdQ" }, "full")).status).to.equal(404);
  });
});
