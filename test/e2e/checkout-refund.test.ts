import { expect } from "chai";
import type { Page } from "playwright-core";
import { en } from "../../domain/languages/texts/en";
import { addressOfScript } from "../../domain/wallet/address";
import { Invoice } from "../../entities/invoice";
import type { TestApi } from "../api/server";
import { leaveAfterEach, startCheckout, type Checkout } from "../support/checkout";
import { inspect } from "../support/dashboard";

const ADDRESS = addressOfScript(Buffer.from(`5120${"ab".repeat(32)}`, "hex"), "regtest") ?? "";
const SHORT = `${ADDRESS.slice(0, 6)}…${ADDRESS.slice(-4)}`;
const MAINNET = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";

describe("leaving a refund address in a browser", function () {
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
  leaveAfterEach(() => checkout.visitors);

  const open = (path: string, javaScriptEnabled: boolean): Promise<Page> =>
    checkout.open(path, { javaScriptEnabled });

  const field = (page: Page) => page.getByLabel(en.refundLabel);
  const leave = (page: Page) => page.getByRole("button", { name: en.refundLeave }).click();
  const stored = async (id: string): Promise<string | null> =>
    (await api.db.manager.findOneByOrFail(Invoice, { id })).refundAddress;

  for (const [how, scripts] of [
    ["with JavaScript", true],
    ["without JavaScript", false],
  ] as const)
    it(`is reached from a mistake to the saved address, ${how}`, async () => {
      const { id } = await stories.invoiceIn("overpaid");
      const page = await open(`/i/${id}?lang=en`, scripts);
      await field(page).fill(MAINNET);
      await leave(page);
      await page.getByText(en.refundOtherNetwork).waitFor();
      expect(await field(page).inputValue()).to.equal(MAINNET);
      expect(await field(page).getAttribute("aria-invalid")).to.equal("true");
      expect(await page.locator("#refund-field:focus").count()).to.equal(1);
      expect(page.url()).to.equal(`${api.base}/i/${id}?lang=en`);
      if (scripts) await inspect(page, "checkout-refund-refused");

      await field(page).fill(` bitcoin:${ADDRESS.toUpperCase()}?amount=0.5`);
      await leave(page);
      await page.getByRole("heading", { name: en.refundLeftTitle }).waitFor();
      await page.getByText(SHORT).waitFor();
      expect(page.url()).to.equal(`${api.base}/i/${id}?lang=en#refund`);
      expect(await stored(id)).to.equal(ADDRESS);
      if (scripts) await inspect(page, "checkout-refund-left");
    });

  it("works on a page on which the form appeared by an update", async () => {
    const invoice = await stories.invoiceIn("expired");
    const page = await open(`/i/${invoice.id}`, true);
    expect(await field(page).count()).to.equal(0);
    await stories.pay(invoice, invoice.dueSats);
    await field(page).fill(ADDRESS);
    await leave(page);
    await page.getByText(SHORT).waitFor();
    expect(await stored(invoice.id)).to.equal(ADDRESS);
  });
});
