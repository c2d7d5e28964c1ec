import { expect } from "chai";
import type { Page } from "playwright-core";
import { openMail } from "../../adapters/mail";
import { sendReceipts } from "../../commands/mails/send-receipts";
import { en } from "../../domain/languages/texts/en";
import { Store } from "../../entities/store";
import { leaveAfterEach, startCheckout, type Checkout } from "../support/checkout";
import { inspect } from "../support/dashboard";
import { type Mailbox, startMailbox } from "../support/mailbox";

const EMAIL = "olga@customer.example";
const SHORT = "o…@c….example";

describe("a receipt by mail in a browser", function () {
  this.timeout(300_000);
  let checkout: Checkout;
  let mailbox: Mailbox;

  before(async function () {
    const started = await startCheckout();
    if (started === null) return this.skip();
    checkout = started;
    mailbox = await startMailbox();
    checkout.api.ctx.sendMail = openMail(mailbox.url).send;
    await checkout.api.db.manager.update(Store, checkout.store.id, { receiptsByMail: true });
  });
  after(async () => {
    await checkout?.stop();
    await mailbox?.stop();
  });
  leaveAfterEach(() => checkout.visitors);

  const field = (page: Page) => page.getByLabel(en.receiptMailLabel);
  const leave = (page: Page) => page.getByRole("button", { name: en.receiptMailLeave }).click();

  it("is asked for before the payment, kept while the page changes, and sent after it", async () => {
    const { api, stories } = checkout;
    const invoice = await stories.invoiceIn("waiting");
    const page = await checkout.open(`/i/${invoice.id}?lang=en`);
    await field(page).fill("olga");
    await stories.pay(invoice, 9_000n);
    await page.getByRole("heading", { name: en.partialTitle }).waitFor();
    expect(await field(page).inputValue()).to.equal("olga");
    await leave(page);
    await page.getByText(en.receiptMailWrong).waitFor();
    await inspect(page, "checkout-receipt-mail-refused");
    await field(page).fill(EMAIL);
    await leave(page);
    await page.getByText(SHORT).waitFor();
    await inspect(page, "checkout-receipt-mail-left");
    await stories.pay(invoice, invoice.dueSats, { state: "confirmed" });
    await page.getByRole("heading", { name: en.paidTitle }).waitFor();
    await page.getByText(SHORT).waitFor();
    expect(await sendReceipts(api.ctx)).to.equal(1);
    expect(mailbox.mails[0]?.to).to.deep.equal([EMAIL]);
    await page.getByText(en.receiptMailSent).waitFor();
    expect(await field(page).count()).to.equal(0);
  });

  it("is asked for without JavaScript once the invoice is paid, from right to left too", async () => {
    const { id } = await checkout.stories.invoiceIn("paid");
    const page = await checkout.open(`/i/${id}?lang=en`, { javaScriptEnabled: false });
    await field(page).fill(EMAIL);
    await leave(page);
    await page.getByText(SHORT).waitFor();
    const reader = await checkout.open(`/i/${id}?lang=ar`);
    await reader.getByText(SHORT).waitFor();
    await inspect(reader, "checkout-receipt-mail-ar");
  });
});
