import { expect } from "chai";
import { en } from "../../api/checkout/texts/en";
import { changeWallet, removeWallet } from "../../commands/wallets/change-wallet";
import { readInvoice } from "../../commands/invoices/read-invoice";
import { Store } from "../../entities/store";
import type { TestApi } from "../api/server";
import { leaveAfterEach, startCheckout, type Checkout } from "../support/checkout";
import { inspect } from "../support/dashboard";
import { newXpub } from "../support/factories";

describe("an invoice with a lazy address in a browser", function () {
  this.timeout(300_000);
  let api: TestApi;
  let checkout: Checkout;
  let store: Store;
  let stories: Checkout["stories"];

  before(async function () {
    const started = await startCheckout();
    if (started === null) return this.skip();
    checkout = started;
    ({ api, store, stories } = started);
    await api.db.manager.update(Store, store.id, { lazyAddresses: true });
  });
  after(() => checkout?.stop());
  leaveAfterEach(() => checkout.visitors);

  const open: Checkout["open"] = (...asked) => checkout.open(...asked);
  const addressOf = async (id: string): Promise<string | null> =>
    (await readInvoice(api.ctx, store.id, id)).methods.find(({ type }) => type === "BTC-CHAIN")
      ?.destination ?? null;

  for (const javaScriptEnabled of [true, false])
    it(`shows its address at the first opening, and the same ever after, ${javaScriptEnabled ? "with" : "without"} JavaScript`, async () => {
      const { id } = await stories.invoiceIn("waiting");
      expect(await addressOf(id)).to.equal(null);
      const page = await open(`/i/${id}`, { javaScriptEnabled });
      const address = await addressOf(id);
      expect(address).to.match(/^bcrt1q/);
      await page.getByRole("img", { name: en.qrAny }).waitFor();
      await page.getByText("Bitcoin", { exact: true }).click();
      await page.getByText(address ?? "").waitFor();
      await page.reload();
      await page.getByText("Bitcoin", { exact: true }).click();
      await page.getByText(address ?? "").waitFor();
      expect(await addressOf(id)).to.equal(address);
    });

  for (const javaScriptEnabled of [true, false])
    it(`shows the remaining payment methods when there is no address, and gets it once it can, ${javaScriptEnabled ? "with" : "without"} JavaScript`, async () => {
      const { id } = await stories.invoiceIn("waiting");
      await removeWallet(api.ctx, store.id);
      const page = await open(`/i/${id}`, { javaScriptEnabled });
      await page.getByText(en.missingOnchain).waitFor();
      await page.getByRole("img", { name: en.qrLightning }).waitFor();
      if (javaScriptEnabled) await inspect(page, "checkout-lazy-no-wallet");
      await changeWallet(api.ctx, store.id, { xpub: newXpub() });
      await page.getByRole("img", { name: en.qrAny }).waitFor();
      expect(await addressOf(id)).to.match(/^bcrt1q/);
    });
});
