import { readFileSync } from "node:fs";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { attemptWebhook } from "../../commands/webhooks/attempt-webhook";
import { changeInvoice } from "../../commands/invoices/change-invoice";
import type { Jobs } from "../../commands/jobs";
import { leaveRefundAddress } from "../../commands/invoices/leave-refund-address";
import { createInvoice, type CreateInvoiceInput } from "../../commands/invoices/create-invoice";
import { addressOfScript } from "../../domain/wallet/address";
import { ChainBlock } from "../../entities/chain-block";
import { InvoiceHistory } from "../../entities/invoice-history";
import { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import type { Payment } from "../../entities/payment";
import { PaymentMethodSync } from "../../entities/payment-method-sync";
import type { Store } from "../../entities/store";
import type { TestContext } from "../support/context";
import { inspect, startDashboard, type Dashboard } from "../support/dashboard";
import { eventually } from "../support/eventually";
import { buildPayment, buildStore, buildWebhook } from "../support/factories";
import { guidePicture } from "../support/guide-picture";
import { startReceiver, type Receiver } from "../support/receiver";

const EMAIL = "olga@shop.example";
const DAY_MS = 86_400_000;

describe("a store's home and invoices in a browser", function () {
  this.timeout(300_000);
  let dashboard: Dashboard;
  let ctx: TestContext;
  let receiver: Receiver;
  let page: Page;
  let store: Store;
  const ids = new Map<string, string>();

  before(async function () {
    const started = await startDashboard();
    if (started === null) return this.skip();
    dashboard = started;
    ctx = dashboard.ctx;
    receiver = await startReceiver();
    page = await dashboard.newUser(EMAIL);
    store = await buildStore(ctx, { name: "Tea shop" });
    await dashboard.join(store.id, EMAIL);
    await buildWebhook(ctx, store, `${receiver.url}/hook`);
    await fill();
  });
  after(async () => {
    await dashboard?.stop();
    await receiver?.close();
  });
  afterEach(() => expect(dashboard.complaints.splice(0)).to.deep.equal([]));

  /** The watcher has checked the chain, and the workers do what is due. */
  async function work(): Promise<void> {
    const now = await ctx.now(ctx.db.manager);
    await ctx.db.manager.upsert(
      PaymentMethodSync,
      { type: "BTC-CHAIN", caughtUpTo: now, checkedAt: now, synchronized: true, nodeHeight: 102 },
      ["type"],
    );
    for (let job = ctx.jobs.shift(); job; job = ctx.jobs.shift()) {
      if (job.queue === "invoices") await changeInvoice(ctx, (job.payload as Jobs["invoices"]).invoiceId);
      if (job.queue === "webhook-delivery") {
        const { deliveryId } = job.payload as Jobs["webhook-delivery"];
        await attemptWebhook(ctx, { deliveryId });
      }
    }
  }

  async function invoice(orderId: string, input: Partial<CreateInvoiceInput> = {}): Promise<string> {
    const { invoice: made } = await createInvoice(ctx, store.id, {
      amount: "12.50",
      currency: "EUR",
      metadataJson: JSON.stringify({ orderId, cart: ["Darjeeling first flush", "Kettle"] }),
      ...input,
    });
    ids.set(orderId, made.id);
    await work();
    return made.id;
  }

  async function pay(invoiceId: string, amountSats: bigint, fields: Partial<Payment> = {}): Promise<Payment> {
    const payment = await buildPayment(ctx, invoiceId, { storeId: store.id, amountSats, ...fields });
    await changeInvoice(ctx, invoiceId);
    await work();
    return payment;
  }

  async function expire(invoiceId: string): Promise<void> {
    await ctx.db.query(
      `UPDATE invoices SET expires_at = clock_timestamp(), decide_at = clock_timestamp() WHERE id = $1`,
      [invoiceId],
    );
    await work();
    await changeInvoice(ctx, invoiceId);
    await work();
  }

  /** The scanned blocks reach this height; payments of this test are in block 100. */
  async function tip(height: number): Promise<void> {
    const hash = "00".repeat(32);
    await ctx.db.manager.upsert(ChainBlock, { height, hash, previousHash: hash }, ["height"]);
  }

  /** A shop with one invoice in every state, and some money in the days before. */
  async function fill(): Promise<void> {
    const due = async (id: string): Promise<bigint> => {
      const [row] = await ctx.db.query<{ due: string }[]>(
        "SELECT due_sats AS due FROM invoices WHERE id = $1",
        [id],
      );
      return BigInt(row?.due ?? 0);
    };
    await tip(102);
    const confirmed = { state: "confirmed" } as const;
    const settled = await invoice("A-1001", { description: "Two pounds of tea" });
    await pay(settled, await due(settled), confirmed);
    const over = await invoice("A-1002");
    await pay(over, (await due(over)) + 5_000n, confirmed);
    const under = await invoice("A-1003");
    await pay(under, 9_000n);
    await expire(under);
    const never = await invoice("A-1004", { amount: "0.00150000", currency: "BTC" });
    await expire(never);
    const late = await invoice("A-1005", { amount: "40000", currency: "SATS" });
    await expire(late);
    await pay(late, 40_000n, confirmed);
    const mixed = await invoice("A-1006", { requiredConfirmations: 3, description: "Gift box, engraved" });
    const hash = "ab".repeat(32);
    await pay(mixed, (await due(mixed)) / 2n, {
      id: hash,
      type: "BTC-LN",
      txid: null,
      vout: null,
      preimage: "cd".repeat(32),
      ...confirmed,
      blockHeight: null,
      blockHash: null,
    });
    await pay(mixed, (await due(mixed)) / 2n + 1n, {
      requiredConfirmations: 3,
      blockHeight: 101,
      blockHash: "00".repeat(32),
    });
    await ctx.db.manager.insert(InvoiceHistory, {
      invoiceId: mixed,
      at: await ctx.now(ctx.db.manager),
      kind: "payment",
      details: {
        change: "seen",
        paymentId: hash,
        type: "BTC-LN",
        amountSats: "11363",
        state: "confirmed",
        belowDust: false,
      },
    });
    await ctx.db.manager.insert(InvoicePaymentMethod, {
      invoiceId: mixed,
      type: "BTC-LN",
      destination: null,
      available: false,
      reason: "node-unavailable",
    });
    await invoice("A-1007 with an order ID that is as long as some shops make them, 2026-11-21-00000000017");
    receiver.answer("/hook", { kind: "status", status: 500, body: "out of order" });
    await invoice("A-1008");
    receiver.answer("/hook", { kind: "status", status: 200 });
    for (let days = 1; days < 28; days += 1 + (days % 3)) {
      const at = new Date((await ctx.now(ctx.db.manager)).getTime() - days * DAY_MS);
      await buildPayment(ctx, settled, {
        storeId: store.id,
        amountSats: BigInt(20_000 + ((days * 7_919) % 60_000)),
        ...confirmed,
        firstSeenAt: at,
        confirmedAt: at,
        state: "confirmed",
        ...(days % 2 === 0 ? {} : { type: "BTC-LN", txid: null, vout: null, preimage: "ef".repeat(32) }),
      });
    }
  }

  const heading = (name: string | RegExp, level = 1) => page.getByRole("heading", { name, level }).waitFor();
  const open = (path = "") => page.goto(`${dashboard.base}/stores/${store.id}${path}`);
  const openInvoice = async (orderId: string): Promise<void> => {
    await open(`/invoices/${ids.get(orderId) ?? ""}`);
    await heading(orderId);
  };
  const rows = () => page.getByRole("table", { name: "Invoices" }).getByRole("row");
  const shownOrders = async (count: number): Promise<void> => {
    await eventually(async () => expect(await rows().count()).to.equal(count + 1));
  };
  const toast = (text: string) => page.getByRole("alert").filter({ hasText: text }).last().waitFor();

  it("shows the owner of a new store the next steps", async () => {
    const { base } = dashboard;
    const created = await page.request.post(`${base}/api/dashboard/stores`, {
      data: { name: "Coffee shop" },
      headers: { origin: base },
    });
    expect(created.status()).to.equal(201);
    const { storeId } = (await created.json()) as { storeId: string };
    await page.goto(`${base}/stores/${storeId}`);
    await heading("Next steps", 2);
    for (const name of ["Set up a wallet", "Create an API key", "Register a webhook", "Create an invoice"])
      await page.getByRole("link", { name }).first().waitFor();
    await inspect(page, "home-new");
    await page.goto(`${base}/stores/${storeId}/invoices`);
    await page.getByText("No invoices yet").waitFor();
    await inspect(page, "invoices-empty");
    await page.getByRole("link", { name: "New invoice" }).first().click();
    await page.getByRole("link", { name: "Set up a wallet" }).waitFor();
    await inspect(page, "invoice-new-no-wallet");
  });

  it("shows a store at a glance: received amounts, invoices by status, webhooks and nodes", async () => {
    await open();
    await heading("Tea shop");
    await page.getByText("Open alerts").waitFor();
    await page.getByText("Bitcoin node").waitFor();
    await page.locator(".recharts-bar-rectangle path").first().waitFor();
    await page.getByText(/were confirmed in the last 30 days/).waitFor();
    expect(await page.getByRole("heading", { name: "Next steps" }).count()).to.equal(0);
    await inspect(page, "home");
    await guidePicture(page, "home");
    await page.getByRole("link", { name: "2 Expired" }).click();
    await page.waitForURL(/invoices\?status=Expired$/);
    await shownOrders(2);
  });

  it("finds invoices by filters and search that are in the address", async () => {
    await open("/invoices");
    await shownOrders(8);
    await inspect(page, "invoices");
    const statuses = page.getByRole("group", { name: "Status" });
    await statuses.getByText("Settled").click();
    await shownOrders(3);
    await statuses.getByText("Processing").click();
    await shownOrders(4);
    await page.waitForURL(/status=Processing%2CSettled|status=Processing,Settled/);
    await page.reload();
    await shownOrders(4);
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByRole("group", { name: "What was unusual" }).getByText("Paid late").click();
    await shownOrders(1);
    await page.getByRole("button", { name: "Filters (1)" }).waitFor();
    await inspect(page, "invoices-filters");
    await page.getByRole("button", { name: "Clear all" }).click();
    await shownOrders(8);
    await page.getByLabel("Created until").fill("2020-01-01");
    await page.getByText("No matching invoices").waitFor();
    await inspect(page, "invoices-nothing");
    await page.getByRole("button", { name: "Show all invoices" }).click();
    await page.getByRole("searchbox", { name: "Search invoices" }).fill("-1003");
    await shownOrders(1);
    await page.waitForURL(/q=.*-1003/);
    await page.getByRole("link", { name: "A-1003" }).click();
    await heading("A-1003");
    await page.goBack();
    await shownOrders(1);
    expect(await page.getByRole("searchbox", { name: "Search invoices" }).inputValue()).to.equal("-1003");
  });

  it("exports what the filters show, and says how many they were", async () => {
    await open("/invoices?status=Settled");
    await shownOrders(3);
    await page.getByRole("button", { name: "Export" }).click();
    await inspect(page, "invoices-export");
    await page.keyboard.press("Escape");
    for (const [format, label] of [
      ["csv", "CSV, for a spreadsheet"],
      ["json", "JSON, for programs"],
    ] as const) {
      await page.getByRole("button", { name: "Export" }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name: label }).click(),
      ]);
      expect(download.suggestedFilename()).to.match(
        new RegExp(`^invoices-\\d{4}-\\d\\d-\\d\\d\\.${format}$`),
      );
      const text = readFileSync(await download.path(), "utf8");
      expect(text.startsWith("\ufeff")).to.equal(format === "csv"); // for Excel
      if (format === "csv") expect(text.trim().split("\r\n")).to.have.length(4);
      else expect((JSON.parse(text) as { data: unknown[] }).data).to.have.length(3);
      await toast("3 lines were exported.");
    }
  });

  it("shows all of an invoice: amounts, both payment methods, payments, deliveries and its history", async () => {
    await openInvoice("A-1006");
    expect(await page.getByRole("link", { name: "Block explorer" }).count()).to.equal(0);
    ctx.settings.explorerTxUrl = "https://explorer.example/tx/";
    await page.reload();
    const explorer = page.getByRole("link", { name: "Block explorer" }).first();
    expect(await explorer.getAttribute("href")).to.match(/^https:\/\/explorer\.example\/tx\/[0-9a-f]{64}$/);
    await page.getByText("The Lightning node does not answer").waitFor();
    await page.getByRole("table", { name: "Payments" }).getByText("2 of 3 confirmations").waitFor();
    const steps = page.getByRole("list", { name: "Where it is" }).getByRole("listitem");
    const titles = await steps
      .locator("p")
      .filter({ hasNot: page.locator("time") })
      .allTextContents();
    expect(titles.filter((title) => title !== "")).to.deep.equal([
      "Created",
      "Payment seen",
      "2 of 3 confirmations",
      "Settled (to come)",
    ]);
    expect(await page.locator("[aria-current=step]").innerText()).to.include("2 of 3 confirmations");
    await page.getByText("Preimage").waitFor();
    await page.getByRole("button", { name: "Show them" }).click();
    await page.getByRole("table", { name: "Webhook deliveries" }).getByText("Processing").waitFor();
    await page.getByText("Lightning payment").waitFor();
    // Said once, by the line of the state.
    expect(await page.getByText("Event written for webhooks.").count()).to.equal(0);
    await inspect(page, "invoice-processing");
    await guidePicture(page, "invoice");
    for (const [orderId, says] of [
      ["A-1001", "The order can be released."],
      ["A-1002", "too much"],
      ["A-1003", "Refund it, or mark the invoice settled."],
      ["A-1004", "Expired without a payment."],
      ["A-1005", "after the invoice had expired"],
    ] as const) {
      await openInvoice(orderId);
      await page.getByText(says).first().waitFor();
      await page.getByText("The invoice was created.").waitFor();
      await inspect(page, `invoice-${orderId}`);
    }
  });

  it("shows the address for a refund when the customer leaves it, and clears it", async () => {
    const address = addressOfScript(Buffer.from(`5120${"ab".repeat(32)}`, "hex"), "regtest") ?? "";
    const { origin } = new URL(dashboard.base);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin });
    await openInvoice("A-1002");
    await page.getByText("The invoice was created.").waitFor();
    expect(await page.getByRole("heading", { name: "Refund address" }).count()).to.equal(0);
    expect(await leaveRefundAddress(ctx, ids.get("A-1002") ?? "", address)).to.equal("left");
    await heading("Refund address", 2);
    await page.getByText("Refund address left on the page").waitFor();
    await page.getByText(/confirm it with the customer before you send a large amount/).waitFor();
    await inspect(page, "invoice-refund-address");
    await page.getByRole("button", { name: "Copy the refund address" }).click();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).to.equal(address);
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await inspect(page, "invoice-refund-address-clear");
    await page.getByRole("button", { name: "Clear the address" }).click();
    await toast("Cleared. The customer can leave another one.");
    await page.getByText("Edited by hand: refundAddress").waitFor();
    expect(await page.getByRole("heading", { name: "Refund address" }).count()).to.equal(0);
  });

  it("is marked by hand with a note, and only in a way that changes it", async () => {
    await openInvoice("A-1003");
    await page.getByRole("button", { name: "More" }).click();
    await inspect(page, "invoice-menu");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Mark settled" }).click();
    await page.getByLabel("Note (optional)").fill("The rest was paid in cash.");
    await inspect(page, "invoice-mark");
    await page.getByRole("dialog").getByRole("button", { name: "Mark settled" }).click();
    await toast("The invoice is marked settled.");
    await page.getByText("Note: The rest was paid in cash.").waitFor();
    await page.getByText("Marked as paid by hand.").waitFor();
    await page.getByText("Not received").waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Mark invalid" }).waitFor();
    expect(await page.getByRole("menuitem", { name: "Mark settled" }).count()).to.equal(0);
    await page.keyboard.press("Escape");
  });

  it("changes metadata and the return address, archives, and erases the customer's data", async () => {
    await openInvoice("A-1004");
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Metadata").fill("[1]");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Must be a JSON object").waitFor();
    await page.getByLabel("Metadata").fill('{"cart": ["Assam"], "parcel": "JD0002"}');
    await page.getByLabel("Customer returns to").fill("https://shop.example/thanks");
    await inspect(page, "invoice-edit");
    await page.getByRole("button", { name: "Save" }).click();
    await toast("Saved");
    await page.getByText('"parcel": "JD0002"').waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await toast("Archived.");
    await page.getByText("archived", { exact: true }).waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Erase customer's data" }).click();
    await page.getByRole("button", { name: "Erase permanently" }).click();
    await toast("The customer's data was erased.");
    await eventually(async () => expect(await page.getByText("JD0002").count()).to.equal(0));
    await open("/invoices?archived=true");
    await shownOrders(1);
    await page.getByRole("button", { name: "Filters (1)" }).waitFor();
  });

  it("is created by hand, and shows the link for the customer", async () => {
    await open("/invoices");
    await page.getByRole("link", { name: "New invoice" }).click();
    await heading("New invoice");
    await page.getByText("As your customer sees it.").waitFor();
    await eventually(async () => {
      const label = await page.evaluate("document.activeElement.labels?.[0]?.textContent");
      expect(label, "what has the focus").to.match(/^Amount/);
    });
    await page.keyboard.type("twelve");
    await page.getByLabel("Currency").fill("eur");
    await page.getByLabel("Order ID (optional)").fill("B-1");
    await page.getByLabel("Description (optional)").fill("A pot of tea");
    await page.getByRole("button", { name: "More" }).click();
    await inspect(page, "invoice-new");
    await page.getByRole("button", { name: "Create invoice" }).click();
    await page.getByText(/Must be/).waitFor();
    await inspect(page, "invoice-new-refused");
    await page.getByLabel("Amount").fill("7,90");
    await page.getByText(/^≈ 14.364 sats now$/).waitFor();
    await page.getByRole("button", { name: "Create invoice" }).click();
    await heading("The invoice is ready", 2);
    await page.getByText(/\/i\/inv_/).waitFor();
    await inspect(page, "invoice-new-ready");
    await page.getByRole("link", { name: "Open the invoice" }).click();
    await heading("B-1");
    await page.getByText("Waiting for a payment").waitFor();
  });
});
