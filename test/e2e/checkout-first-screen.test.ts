import { expect } from "chai";
import type { Page } from "playwright-core";
import { en } from "../../domain/languages/texts/en";
import { leaveAfterEach, startCheckout, type Checkout } from "../support/checkout";

/** What a browser with its bars leaves of a phone of 390 × 844. */
const PHONE = { viewport: { width: 390, height: 660 }, hasTouch: true };
const DESKTOP = { viewport: { width: 1280, height: 900 } };

describe("the first screen of the checkout", function () {
  this.timeout(300_000);
  let checkout: Checkout;
  before(async function () {
    const started = await startCheckout();
    if (started === null) return this.skip();
    checkout = started;
  });
  after(() => checkout?.stop());
  leaveAfterEach(() => checkout.visitors);

  async function place(page: Page, selector: string) {
    const box = await page.locator(selector).filter({ visible: true }).first().boundingBox();
    if (box === null) throw new Error(`${selector} is not shown`);
    return { left: box.x, right: box.x + box.width, top: box.y, bottom: box.y + box.height };
  }

  for (const javaScriptEnabled of [true, false])
    it(`has on a phone the amount, the state, until when it holds, and what pays, ${javaScriptEnabled ? "with" : "without"} JavaScript`, async () => {
      const { id } = await checkout.stories.invoiceIn("waiting");
      const page = await checkout.open(`/i/${id}`, { ...PHONE, javaScriptEnabled });
      const [amount, until, state, button, code] = [
        await place(page, ".big"),
        await place(page, ".amount time"),
        await place(page, "h1"),
        await place(page, ".pay .primary"),
        await place(page, ".qr"),
      ];
      const tops = [amount, until, state, button, code].map(({ top }) => top);
      expect(tops).to.deep.equal([...tops].sort((a, b) => a - b));
      expect(state.bottom - state.top, "one line").to.be.lessThan(32);
      expect(button.bottom).to.be.lessThan(500);
      expect(code.top).to.be.within(button.bottom, button.bottom + 16);
    });

  it("has what pays the rest, too", async () => {
    const { id } = await checkout.stories.invoiceIn("partial");
    const page = await checkout.open(`/i/${id}`, PHONE);
    expect((await place(page, ".pay .primary")).bottom).to.be.lessThan(660);
  });

  it("has on a desktop the code at the top, beside the amount", async () => {
    const { id } = await checkout.stories.invoiceIn("waiting");
    const page = await checkout.open(`/i/${id}`, DESKTOP);
    const [code, amount, details] = [
      await place(page, ".qr"),
      await place(page, ".big"),
      await place(page, ".details"),
    ];
    expect(code.top).to.be.lessThan(260);
    expect(amount.left).to.be.greaterThan(code.right);
    expect(details.left).to.equal(amount.left);
    expect((await place(page, ".pay .primary")).top, "for those who scan").to.be.greaterThan(code.bottom);
  });

  for (const [phase, amount] of [
    ["paid", "€12.50"],
    ["overpaid", "€15.25"],
    ["accepted", "€12.50"],
  ] as const)
    it(`has a large tick with the amount and the order when it is ${phase}`, async () => {
      const { id } = await checkout.stories.invoiceIn(phase);
      const page = await checkout.open(`/i/${id}`, PHONE);
      expect(await page.locator("h1").innerText()).to.equal(en[`${phase}Title`]);
      const [tick, sum] = [await place(page, ".status .sign"), await place(page, ".status .big")];
      expect(tick.bottom - tick.top).to.be.at.least(60);
      expect(sum.bottom).to.be.lessThan(400);
      expect(await page.locator(".status").innerText())
        .to.include(amount)
        .and.include("Order A 1001/ü");
    });
});
