import { expect } from "chai";
import type { Page, Route } from "playwright-core";
import { notifyChanges } from "../../commands/server/notify-changes";
import { en } from "../../domain/languages/texts/en";
import { ChainBlock } from "../../entities/chain-block";
import type { Invoice } from "../../entities/invoice";
import type { TestApi } from "../api/server";
import { TIP } from "../stories/checkout-stories";
import { leaveAfterEach, startCheckout, type Checkout } from "../support/checkout";
import { eventually } from "../support/eventually";

/** The page's script asks by itself only when the stream has said nothing for ten seconds. */
const BY_STREAM_MS = 8_000;

describe("an open checkout in a browser", function () {
  this.timeout(300_000);
  let api: TestApi;
  let checkout: Checkout;
  let stories: Checkout["stories"];

  before(async function () {
    const started = await startCheckout();
    if (started === null) return this.skip();
    checkout = started;
    ({ api, stories } = started);
  });
  after(() => checkout?.stop());
  afterEach(() => (checkout.visitors.complaints.length = 0)); // the browser prints each stream that is cut
  leaveAfterEach(() => checkout.visitors);

  /** Answers the page, and what it asks for from then on. */
  async function open({ id }: Invoice, onStream?: (route: Route) => unknown) {
    const page = await checkout.visitors.newPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname.split("/").at(-1) ?? ""));
    if (onStream !== undefined) await page.route("**/stream", onStream);
    await page.goto(`${api.base}/i/${id}`);
    await eventually(() => asked.includes("stream"));
    return { page, asked, count: (name: string) => asked.filter((one) => one === name).length };
  }
  const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });

  it("shows a payment as it comes, asks when the stream hints, and closes the stream when it is paid", async () => {
    const invoice = await stories.invoiceIn("waiting");
    const { page, count } = await open(invoice);
    await stories.pay(invoice, 9_000n, { state: "confirmed" });
    await heading(page, en.partialTitle).waitFor({ timeout: BY_STREAM_MS });
    await stories.pay(invoice, 13_728n, { state: "confirmed" });
    await heading(page, en.paidTitle).waitFor({ timeout: BY_STREAM_MS });
    await page.waitForTimeout(5_000); // an EventSource that is not closed comes back after 4 s at the latest
    expect(count("stream")).to.equal(1);
    expect(count("state"), "polled, it would be one in 2.5 s").to.be.within(2, 8);
  });

  it("shows what changed before its stream was open", async () => {
    const invoice = await stories.invoiceIn("waiting");
    const before = await open(invoice);
    await eventually(() => before.count("state") > 0);
    const { page } = await open(invoice, async (route) => {
      await stories.pay(invoice, 9_000n);
      await heading(before.page, en.partialTitle).waitFor({ timeout: BY_STREAM_MS });
      await route.continue();
    });
    await heading(page, en.partialTitle).waitFor({ timeout: BY_STREAM_MS });
  });

  it("counts the confirmations at a block, and asks for nothing else then", async () => {
    const [seen, waiting] = [
      await open(await stories.invoiceIn("seen")),
      await open(await stories.invoiceIn("waiting")),
    ];
    await eventually(() => [seen, waiting].every(({ count }) => count("state") > 0));
    await seen.page.waitForTimeout(BY_STREAM_MS); // what was missed before the process listened
    const asked = waiting.count("state");
    const hash = "11".repeat(32);
    try {
      await api.db.manager.insert(ChainBlock, { height: TIP + 1, hash, previousHash: "00".repeat(32) });
      notifyChanges(api.ctx, [{ topic: "chain", storeId: null, height: TIP + 1 }]);
      await seen.page.getByText("Confirmations: 2 of 3").waitFor();
      expect(waiting.count("state")).to.equal(asked);
    } finally {
      await api.db.manager.delete(ChainBlock, { hash });
    }
  });

  for (const [what, onStream] of [
    ["is cut", (route: Route) => route.abort()],
    ["is refused", (route: Route) => route.fulfill({ status: 429, body: "{}" })],
    ["is held back by a proxy", () => undefined],
  ] as const)
    it(`polls when the stream ${what}`, async () => {
      const invoice = await stories.invoiceIn("waiting");
      const { page, count } = await open(invoice, onStream);
      await stories.paidBy(invoice);
      await heading(page, en.paidTitle).waitFor();
      expect(count("state")).to.be.within(1, 3);
    });

  it("keeps the input and the focus when a state comes", async () => {
    const invoice = await stories.invoiceIn("underpaid");
    const { page } = await open(invoice);
    const input = page.locator("#invoice textarea");
    await input.fill("bcrt1qhalf");
    await stories.pay(invoice, 1_000n);
    await page.getByText("10,000 sats").first().waitFor({ timeout: BY_STREAM_MS });
    expect(await input.inputValue()).to.equal("bcrt1qhalf");
    expect(await page.evaluate("document.activeElement.matches('#invoice textarea')")).to.equal(true);
  });

  it("scrolls to the payment's state when the customer has scrolled to the code", async () => {
    const invoice = await stories.invoiceIn("waiting");
    const { page } = await open(invoice);
    await page.setViewportSize({ width: 390, height: 664 });
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await stories.pay(invoice, 9_000n);
    const above = async (name: string) => {
      const title = heading(page, name);
      await title.waitFor({ timeout: BY_STREAM_MS });
      return (await title.boundingBox())?.y ?? NaN;
    };
    expect(await above(en.partialTitle)).to.be.within(0, 332);
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await stories.pay(invoice, 13_728n);
    expect(await above(en.seenTitle)).to.be.within(0, 332);
  });

  it("does not scroll during typing", async () => {
    const invoice = await stories.invoiceIn("underpaid");
    const { page } = await open(invoice);
    await page.setViewportSize({ width: 390, height: 400 });
    await page.locator("#invoice textarea").fill("bcrt1qhalf");
    await stories.pay(invoice, 22_728n);
    const title = heading(page, en.lateSeenTitle);
    await title.waitFor({ timeout: BY_STREAM_MS });
    expect((await title.boundingBox())?.y).to.be.lessThan(0);
  });

  it("closes its stream when it was hidden for a minute, and opens it when it is visible", async () => {
    const invoice = await stories.invoiceIn("waiting");
    const { page, count } = await open(invoice);
    let closed = 0;
    page.on("requestfailed", () => (closed += 1));
    const look = (hidden: boolean) =>
      page.evaluate(`
        Object.defineProperty(document, "hidden", { value: ${hidden}, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"))`);
    await page.clock.install();
    await look(true);
    await page.clock.fastForward(20_000); // its clock goes on by itself
    await stories.pay(invoice, 9_000n);
    await heading(page, en.partialTitle).waitFor({ timeout: BY_STREAM_MS });
    expect(closed).to.equal(0);
    await page.clock.fastForward(41_000);
    await eventually(() => closed === 1);
    await look(false);
    await eventually(() => count("stream") === 2);
    await stories.pay(invoice, 13_728n);
    await heading(page, en.seenTitle).waitFor({ timeout: BY_STREAM_MS });
  });
});
