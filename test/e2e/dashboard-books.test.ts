import { readFile } from "node:fs/promises";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { makeBitcoindRpc } from "../../adapters/bitcoind/rpc";
import { changeInvoice } from "../../commands/invoices/change-invoice";
import { createInvoice } from "../../commands/invoices/create-invoice";
import { markInvoice } from "../../commands/invoices/mark-invoice";
import { calendarIn } from "../../domain/time-zone";
import { PaymentMethodSync } from "../../entities/payment-method-sync";
import type { Store } from "../../entities/store";
import type { SimulatedNode } from "../support/devnet/simulated-node";
import { startSimulatedNode } from "../support/chain";
import type { TestContext } from "../support/context";
import { inspect, startDashboard, type Dashboard } from "../support/dashboard";
import { buildPayment, buildStore } from "../support/factories";

const EMAIL = "olga@shop.example";

const monthIn = (at: Date, timeZone: string): string => calendarIn(timeZone).dayOf(at).slice(0, 7);

/** A history with every outcome, and its owner, who has nothing but the dashboard. */
describe("a shop owner closes her books for a month", function () {
  this.timeout(300_000);
  let dashboard: Dashboard;
  let ctx: TestContext;
  let node: SimulatedNode;
  let page: Page;
  let store: Store;
  let customer: string;

  before(async function () {
    const started = await startDashboard();
    if (started === null) return this.skip();
    dashboard = started;
    ctx = dashboard.ctx;
    node = await startSimulatedNode();
    ctx.chain = makeBitcoindRpc({ url: node.rpcUrl });
    customer = await node.newAddress();
    page = await dashboard.newUser(EMAIL);
    store = await buildStore(ctx, { name: "Tea shop" });
    await dashboard.join(store.id, EMAIL);
    await history();
  });
  after(async () => {
    await dashboard?.stop();
    await node?.stop();
  });
  afterEach(() => expect(dashboard.complaints.splice(0)).to.deep.equal([]));

  async function invoice(orderId: string, fields: object = {}): Promise<string> {
    const { invoice: made } = await createInvoice(ctx, store.id, {
      amount: "55",
      currency: "EUR",
      metadataJson: JSON.stringify({ orderId }),
      ...fields,
    });
    return made.id;
  }
  const decide = async (invoiceId: string): Promise<void> => {
    const now = await ctx.now(ctx.db.manager);
    await ctx.db.manager.upsert(
      PaymentMethodSync,
      { type: "BTC-CHAIN", caughtUpTo: now, checkedAt: now, synchronized: true },
      ["type"],
    );
    await changeInvoice(ctx, invoiceId);
  };
  const pay = async (invoiceId: string, amountSats: bigint, fields: object = {}): Promise<void> => {
    await buildPayment(ctx, invoiceId, { amountSats, state: "confirmed", ...fields });
    await decide(invoiceId);
  };
  const expire = async (invoiceId: string): Promise<void> => {
    await ctx.db.query("UPDATE invoices SET expires_at = created_at, decide_at = created_at WHERE id = $1", [
      invoiceId,
    ]);
    await decide(invoiceId);
  };

  /** Each invoice is over 100,000 sats. */
  async function history(): Promise<void> {
    await pay(await invoice("paid"), 100_000n);
    await pay(await invoice("excess"), 120_000n);
    const part = await invoice("part");
    await pay(part, 40_000n);
    await expire(part);
    const late = await invoice("late");
    await expire(late);
    await pay(late, 100_000n);
    const invalid = await invoice("invalid");
    await markInvoice(ctx, store.id, invalid, { status: "Invalid" });
    await pay(invalid, 70_000n);
    await expire(await invoice("unpaid"));
    await pay(await invoice("lightning"), 100_000n, {
      id: "ab".repeat(32),
      type: "BTC-LN",
      txid: null,
      vout: null,
      blockHeight: null,
      blockHash: null,
    });
    await pay(await invoice("dust"), 100n, { neverCounts: true });
    await invoice("pending").then((id) => pay(id, 90_000n, { state: "pending" }));
    const before = new Date(Date.now() - 40 * 86_400_000);
    await pay(await invoice("before"), 100_000n, { confirmedAt: before });
    await ctx.db.query(
      "UPDATE invoices SET refund_address = $1, refund_address_at = now() WHERE order_id = 'part'",
      [customer],
    );
  }

  const open = (path: string) => page.goto(`${dashboard.base}/stores/${store.id}${path}`);
  const toast = (text: string) => page.getByRole("alert").filter({ hasText: text }).last().waitFor();
  const row = (orderId: string) =>
    page.getByRole("table", { name: "Reviews" }).getByRole("row").filter({ hasText: orderId });
  async function resolve(orderId: string, choice: RegExp, txid?: string): Promise<void> {
    await page.getByRole("button", { name: `Resolve ${orderId}` }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radio", { name: choice }).check();
    if (txid !== undefined) await dialog.getByLabel("Transaction ID").fill(txid);
    await dialog.getByRole("button", { name: "Record the decision" }).click();
    await toast("The decision is recorded.");
    await row(orderId).waitFor({ state: "detached" });
  }

  it("sees first what she still has to decide", async () => {
    await open("");
    await page.getByRole("link", { name: "4", exact: true }).click();
    await page.getByRole("heading", { name: "To review", level: 1 }).waitFor();
    await row("excess").getByText("€66.00").waitFor();
    await row("part").getByText("€22.00").waitFor();
    await row("part").getByText(customer).waitFor();
    await inspect(page, "reviews");
  });

  it("decides about each", async () => {
    await resolve("excess", /^Kept/);
    await resolve("late", /^Fulfilled/);
    await resolve("invalid", /^Written off/);
    const txid = await node.pay(customer, 39_000n);
    await page.getByRole("button", { name: "Resolve part" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radio", { name: /^Refunded/ }).check();
    await dialog.getByLabel("Transaction ID").fill("nonsense");
    await dialog.getByRole("button", { name: "Record the decision" }).click();
    await dialog.getByText("Must be a txid or a payment hash: 64 hexadecimal digits.").waitFor();
    await inspect(page, "review-resolve");
    await dialog.getByLabel("Transaction ID").fill(txid);
    await dialog.getByRole("button", { name: "Record the decision" }).click();
    await page.getByText("Nothing to decide").waitFor();
    await page.getByRole("radiogroup", { name: "Which reviews" }).getByText("Decided").click();
    await row("part").getByText("found, unconfirmed").waitFor();
    await row("part").getByText("39,000 sats to the customer's address").waitFor();
    await row("part").getByText("another amount than you entered").waitFor();
    await node.mine(1);
    await row("part").getByRole("button", { name: "Look again" }).click();
    await row("part").getByText("confirmed", { exact: true }).waitFor();
    await inspect(page, "reviews-resolved");
  });

  it("closes the month: its sums, its lines, and the file for her accountant", async () => {
    await open("/settings/general");
    await page.getByRole("combobox", { name: "Time zone" }).selectOption("Pacific/Kiritimati");
    await page.getByRole("form", { name: "Store" }).getByRole("button", { name: "Save" }).click();
    await toast("Saved");
    const now = new Date();
    const month = monthIn(now, "Pacific/Kiritimati");
    await page.getByRole("link", { name: "Books" }).click();
    await page.getByRole("heading", { name: "Books", level: 1 }).waitFor();
    await page.getByLabel("Month", { exact: true }).fill(month);
    const sums = page.getByRole("main");
    // 100,000 paid, 120,000 with an excess, 40,000 of a part, 100,000 late, 70,000 to an invalid one; and by Lightning.
    await sums.getByText("430,000 sats").waitFor();
    for (const text of [
      "530,000 sats",
      "490,000 sats",
      "of which invoices in EUR: €291.50",
      "of which invoices in EUR: €22.00",
      "6 payments and 1 refund",
    ])
      await sums.getByText(text).first().waitFor();
    await inspect(page, "books");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      (async () => {
        await page.getByRole("button", { name: "Export" }).click();
        await page.getByRole("menuitem", { name: /^CSV/ }).click();
      })(),
    ]);
    expect(download.suggestedFilename()).to.equal(`payments-${month}.csv`);
    const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\r\n");
    expect(lines, "its head, seven payments and the refund").to.have.length(9);
    await page.getByRole("button", { name: "The month before" }).click();
    await page.waitForURL(new RegExp("month="));
  });

  it("sees a payment in the open books as it comes", async () => {
    await open(`/books?month=${monthIn(new Date(), "Pacific/Kiritimati")}`);
    const sums = page.getByRole("main");
    await sums.getByText("530,000 sats").first().waitFor();
    await pay(await invoice("later"), 100_000n);
    await sums.getByText("630,000 sats").first().waitFor();
  });

  it("has nothing left to decide, as the first tile says", async () => {
    await open("");
    await page.getByText("To review").nth(1).waitFor();
    expect(
      await page.getByRole("main").getByRole("link", { name: "0", exact: true }).count(),
    ).to.be.greaterThan(0);
  });
});
