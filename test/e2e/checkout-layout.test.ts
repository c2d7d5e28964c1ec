import { expect } from "chai";
import type { Page } from "playwright-core";
import { LANGUAGES } from "../../domain/languages/language";
import { PHASES } from "../../domain/invoice/phase";
import { Invoice } from "../../entities/invoice";
import { Store } from "../../entities/store";
import type { TestApi } from "../api/server";
import { startCheckout, type Checkout } from "../support/checkout";

const PHONE = { width: 360, height: 740 };

/** What does not fit, by the browser's own measure, in both units and by each way to pay. */
const MISFITS = `(() => {
  const found = [];
  const name = (element) =>
    element.tagName.toLowerCase() + "." + (element.className || element.id) + ": " + element.textContent.trim().slice(0, 40);
  function look(shown) {
    const { scrollWidth } = document.documentElement;
    if (scrollWidth > innerWidth) found.push(shown + ": the page is " + scrollWidth + " wide");
    for (const element of document.querySelectorAll("body *")) {
      const { overflowX, display } = getComputedStyle(element);
      const hidden = element.closest(".unseen, svg") !== null || !element.checkVisibility();
      if (hidden || display === "inline" || overflowX === "auto" || overflowX === "scroll") continue;
      if (element.scrollWidth > element.clientWidth + 1) found.push(shown + ": too wide: " + name(element));
      if (element.matches(".button, .tab, label") && element.scrollHeight > element.clientHeight + 1)
        found.push(shown + ": too high: " + name(element));
      const { left, right } = element.getBoundingClientRect();
      if (left < -1 || right > innerWidth + 1) found.push(shown + ": beside the page: " + name(element));
    }
  }
  document.querySelector("details.languages").open = true;
  const units = document.querySelectorAll("input[name=unit]");
  const ways = document.querySelectorAll("input[name=way]");
  for (const unit of units) {
    unit.checked = true;
    look(unit.id);
    for (const way of ways) {
      way.checked = true;
      look(unit.id + ", " + way.id);
    }
  }
  return found;
})()`;

/** Where our own words are broken within, they do not fit; what people typed may be, and hashes are. */
const WHOLE_WORDS = `
  :is(h1, h2, h3, dt, label, summary, footer a, .button, .tab):not(.on *) { overflow-wrap: normal !important; }
`;

describe("the checkout on a narrow phone", function () {
  this.timeout(300_000);
  let api: TestApi;
  let checkout: Checkout;
  let page: Page;
  const ids: Record<string, string> = {};

  before(async function () {
    const started = await startCheckout();
    if (started === null) return this.skip();
    checkout = started;
    const { store, stories } = started;
    ({ api } = started);
    await api.db.manager.update(Store, store.id, {
      name: "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk, www.suesswaren-gruenwald-und-toechter.example",
    });
    for (const phase of PHASES) ids[phase] = (await stories.invoiceIn(phase)).id;
    for (const phase of ["waiting", "invalid"] as const) {
      const invoice = await stories.invoiceIn(phase);
      await stories.vanish(invoice);
      ids[`${phase}, with a payment that vanished`] = invoice.id;
    }
    await api.db.manager.update(
      Invoice,
      { storeId: store.id },
      { description: "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz, 2. Auflage" },
    );
    page = await checkout.visitors.newPage({ viewport: PHONE });
    page.setDefaultTimeout(60_000);
    // Not by the page's policy, which lets no foreign styles in.
    await page.addInitScript(`document.addEventListener("DOMContentLoaded", () => {
      const styles = new CSSStyleSheet();
      styles.replaceSync(${JSON.stringify(WHOLE_WORDS)});
      document.adoptedStyleSheets = [styles];
    })`);
  });
  after(() => checkout?.stop());

  for (const { code, tag } of LANGUAGES)
    it(`has no text that overflows, in any state and unit, in "${code}"`, async () => {
      const found: Record<string, string[]> = {};
      for (const [state, id] of Object.entries(ids)) {
        await page.goto(`${api.base}/i/${id}?lang=${code}`, { waitUntil: "domcontentloaded" });
        expect(await page.locator("html.scripts").getAttribute("lang")).to.equal(tag);
        const misfits = await page.evaluate<string[]>(MISFITS);
        if (misfits.length > 0) found[state] = misfits;
      }
      expect(found).to.deep.equal({});
    });

  it("would detect a text that overflows", async () => {
    await page.goto(`${api.base}/i/${ids.waiting}?lang=en`);
    await page.evaluate(`document.querySelector(".tab").textContent = "${"Lightning".repeat(9)}"`);
    const misfits = await page.evaluate<string[]>(MISFITS);
    expect(misfits.filter((text) => text.startsWith("unit-btc, way-any:"))).to.satisfy((list: string[]) =>
      list.some((text) => text.includes("beside the page: label.tab")),
    );
  });
});
