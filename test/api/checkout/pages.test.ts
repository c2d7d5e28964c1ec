import { expect } from "chai";
import { phaseOf, PHASES } from "../../../domain/invoice/phase";
import { archiveInvoice } from "../../../commands/invoices/edit-invoice";
import { archiveStore } from "../../../commands/stores/archive-store";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { readInvoice } from "../../../commands/invoices/read-invoice";
import { readCheckout } from "../../../commands/invoices/read-checkout";
import { chooseLanguage } from "../../../domain/languages/language";
import { keptPart } from "../../../api/checkout/page/kept-part";
import { versionOf } from "../../../api/checkout/state";
import { checkoutView } from "../../../api/checkout/view";
import { en } from "../../../domain/languages/texts/en";
import type { Invoice } from "../../../entities/invoice";
import { InvoicePaymentMethod } from "../../../entities/invoice-payment-method";
import { Payment } from "../../../entities/payment";
import { Store } from "../../../entities/store";
import { checkoutStore, checkoutStories, STORE } from "../../stories/checkout-stories";
import { refusingLimits, startApi, type TestApi } from "../server";

const NONE = { destination: null, available: false, reason: "node-unavailable" } as const;

describe("the checkout's pages", function () {
  this.timeout(60_000);
  let api: TestApi;
  let store: Store;
  let stories: ReturnType<typeof checkoutStories>;
  before(async () => {
    api = await startApi();
    store = await checkoutStore(api.ctx);
    stories = checkoutStories(api.ctx, store);
  });
  after(() => api.stop());

  const get = (path: string, headers: Record<string, string> = {}) => fetch(api.base + path, { headers });
  const page = async ({ id }: Pick<Invoice, "id">, query = ""): Promise<string> => {
    const answer = await get(`/i/${id}${query}`);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get("content-type")).to.equal("text/html; charset=utf-8");
    return answer.text();
  };
  /** The words of a page, as a reader sees them. */
  const words = (markup: string): string =>
    markup
      .replace(/<(style|title|noscript)[\s\S]*?<\/\1>/g, "")
      .replace(/<\/?bdi>/g, "")
      .replace(/<[^>]*>/g, " ")
      .replaceAll("&amp;", "&")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replace(/\s+/g, " ");
  /** What the switch shows. */
  const inSats = (markup: string): string => markup.replace(/<span class="in-btc".*?<\/span\s*>/gs, "");
  const inBtc = (markup: string): string => markup.replace(/<span class="in-sats".*?<\/span\s*>/gs, "");

  for (const phase of PHASES)
    it(`show a customer "${phase}", and the next step`, async () => {
      const invoice = await stories.invoiceIn(phase);
      expect(phaseOf(invoice, await api.ctx.now(api.db.manager))).to.equal(phase);
      const markup = await page(invoice);
      const shown = words(markup);
      expect(shown).to.include(en[`${phase}Title`]);
      expect(shown).to.include("Order A 1001/ü").and.to.include(invoice.id);
      expect(shown).to.include("22,728 sats").and.to.include("0.00022728 BTC").and.to.include("€12.50");
      expect(markup).to.include('href="mailto:help@shop.example"');
      expect(markup).to.include(
        `href="https://shop.example/thanks?o=A%201001%2F%C3%BC&amp;i=${encodeURIComponent(invoice.id)}"`,
      );
      const asks = phase === "waiting" || phase === "partial";
      expect(markup.includes('href="bitcoin:'), "a link to pay").to.equal(asks);
      expect(markup.includes('class="qr"'), "a code to pay").to.equal(asks);
      const over = phase === "paid" || phase === "overpaid" || phase === "paidLate" || phase === "accepted";
      const typing = phase === "underpaid" || phase === "lateSeen" || phase === "invalid";
      expect(markup.includes('http-equiv="refresh"'), "loads itself again").to.equal(!over && !typing);
    });

  it("show what came in and ask for the remainder only, with a new code", async () => {
    const invoice = await stories.invoiceIn("partial");
    const markup = await page(invoice);
    expect(words(inSats(markup))).to.include(
      "9,000 sats (€4.95) has arrived and 13,728 sats (€7.55) is still to be paid",
    );
    expect(words(inBtc(markup))).to.include(
      "0.00009 BTC (€4.95) has arrived and 0.00013728 BTC (€7.55) is still to be paid",
    );
    expect(markup).to.match(/href="bitcoin:bcrt1q[0-9a-z]+\?amount=0\.00013728"/);
  });

  it("ask at the address for the dust limit when less is due, and say why", async () => {
    const invoice = await stories.invoiceIn("waiting");
    await stories.pay(invoice, invoice.dueSats - 100n);
    const markup = await page(invoice);
    expect(words(inSats(markup)))
      .to.include("100 sats (€0.06) is still to be paid")
      .and.to.include(
        "The Bitcoin network carries no payment below 294 sats , so the address asks for that amount.",
      );
    expect(markup).to.match(/href="bitcoin:bcrt1q[0-9a-z]+\?amount=0\.00000294"/);
    expect(markup).to.include('data-copy="294"').and.not.to.include('data-copy="100"');
  });

  it("count confirmations, and show the receipt", async () => {
    const seen = await page(await stories.invoiceIn("seen"));
    expect(words(seen))
      .to.include("Confirmations: 1 of 3")
      .and.to.match(/Transaction id [0-9a-f]{64}/);
    const paid = words(inSats(await page(await stories.invoiceIn("overpaid"))));
    expect(paid).to.include("You paid 5,000 sats (€2.75) more than was asked");
    expect(paid).to.match(/Payment hash [0-9a-f]{64} /);
  });

  it("hide a Lightning payment's preimage from whoever has the link", async () => {
    const invoice = await stories.invoiceIn("overpaid");
    const preimage = "ef".repeat(32);
    expect(await api.db.manager.countBy(Payment, { invoiceId: invoice.id, preimage })).to.equal(1);
    expect(await page(invoice))
      .to.include("Payment hash")
      .and.not.to.include(preimage);
    const state = await (await get(`/i/${invoice.id}/state`)).text();
    expect(state).to.include("Payment hash").and.not.to.include(preimage);
    const { payments } = await readInvoice(api.ctx, store.id, invoice.id);
    expect(payments.map((payment) => payment.preimage)).to.deep.equal([preimage]);
  });

  it("show the excess of a late overpayment", async () => {
    const late = await stories.invoiceIn("expired");
    await stories.pay(late, late.dueSats + 5_000n, { state: "confirmed" });
    const markup = await page(late);
    expect(words(inSats(markup)))
      .to.include(en.paidLateTitle)
      .and.to.include("it is 5,000 sats (€2.75) more than was asked");
    expect(words(await page(await stories.invoiceIn("paidLate")))).not.to.include("more than was asked");
  });

  it("assure whoever already paid an expired invoice that nothing is lost", async () => {
    const shown = words(await page(await stories.invoiceIn("expired")));
    expect(shown).to.include(en.alreadyPaidTitle).and.to.include("Please do not pay a second time");
  });

  describe("when a payment vanished", () => {
    const shownOf = async (invoice: Pick<Invoice, "id">): Promise<string> => words(await page(invoice));
    const closed = en.vanishedClosed.replace("{store}", STORE);

    it("say so as long as money is missing, and whether it can still be paid", async () => {
      for (const [phase, said] of [
        ["partial", en.vanishedOpen],
        ["underpaid", closed],
        ["seen", null],
      ] as const) {
        const invoice = await stories.invoiceIn(phase);
        await stories.vanish(invoice, phase === "partial" ? undefined : 1_000n);
        const shown = await shownOf(invoice);
        expect(shown).to.include(en[`${phase}Title`]);
        for (const text of [en.vanishedOpen, closed])
          expect(shown.includes(text), `${phase}: ${text}`).to.equal(text === said);
      }
    });

    it("say so no longer when it is paid again", async () => {
      const invoice = await stories.make();
      await stories.vanish(invoice);
      expect(await shownOf(invoice)).to.include(en.vanishedOpen);
      await stories.pay(invoice, invoice.dueSats);
      expect(await shownOf(invoice))
        .to.include(en.seenTitle)
        .and.not.to.include(en.vanishedOpen);
    });

    it("count a recorded payment, and none that vanished after the expiry", async () => {
      const recorded = "your payment is recorded";
      expect(await shownOf(await stories.invoiceIn("invalid"))).to.include(recorded);
      const invoice = await stories.invoiceIn("seen");
      await stories.expire(invoice);
      await api.db.manager.update(
        Payment,
        { invoiceId: invoice.id },
        { state: "evicted", blockHeight: null },
      );
      await changeInvoice(api.ctx, invoice.id);
      expect(await shownOf(invoice))
        .to.include(en.invalidTitle)
        .and.to.include(closed)
        .and.to.include(en.expiredText.replace("{store}", STORE))
        .and.not.to.include(recorded);
    });
  });

  it("have a code for any wallet with the address, and of no other", async () => {
    const hint = /<label class="hint" for="way-onchain"\s*>([^<]*)<\/label/;
    const told = hint.exec(await page(await stories.invoiceIn("waiting")))?.[1];
    expect(told).to.equal(en.addressHint.replace("{bitcoin}", en.onchain));
    expect(await page(await stories.make())).not.to.match(hint);
  });

  it("show texts literally, without any markup's effect", async () => {
    const markup = await page(await stories.make({ description: `<img src=x onerror="alert(1)">` }));
    expect(markup).to.include("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;").and.not.to.include("<img");
    expect(markup).to.include("Tea &amp; &lt;Co&gt;").and.not.to.include("<Co>");
  });

  it("show of the store only what a customer needs", async () => {
    const invoice = await stories.invoiceIn("paid", { monitoringSeconds: 4_321, paymentTolerance: "7.25" });
    const told = (await page(invoice)) + (await (await get(`/i/${invoice.id}/state`)).text());
    for (const secret of [store.id, "olga@shop.example", "fixed", "4321", "7.25", "tpub", "m/84"])
      expect(told, secret).not.to.include(secret);
  });

  it("are there for archived invoices of archived stores", async () => {
    const other = await checkoutStore(api.ctx);
    const invoice = await checkoutStories(api.ctx, other).make();
    await archiveInvoice(api.ctx, other.id, invoice.id, true);
    await archiveStore(api.ctx, other.id, true);
    expect(words(await page(invoice))).to.include(en.waitingTitle);
  });

  it("say that an unknown invoice does not exist", async () => {
    for (const id of ["inv_4wBqpZM9k2mAgN8rTzZy7VdQ", "nothing", "%00", "inv_%F0%9F%92%A9"]) {
      const answer = await get(`/i/${id}`, { "accept-language": "de-CH, en;q=0.5" });
      expect(answer.status, id).to.equal(404);
      expect(answer.headers.get("content-type")).to.equal("text/html; charset=utf-8");
      const markup = await answer.text();
      expect(markup).to.include('<html lang="de" dir="ltr">').and.to.include("Diese Rechnung gibt es nicht");
      expect((await get(`/i/${id}/state`)).status).to.equal(404);
    }
  });

  it("use the language of the link, then the invoice's, then the browser's", async () => {
    const invoice = await stories.make({ language: "pt-BR" });
    const langOf = async (query: string, accept: string) =>
      /<html lang="(\w+)" dir="(\w+)">/
        .exec(await (await get(`/i/${invoice.id}${query}`, { "accept-language": accept })).text())
        ?.slice(1)
        .join(" ");
    expect(await langOf("", "fr")).to.equal("pt ltr");
    expect(await langOf("?lang=ar", "fr")).to.equal("ar rtl");
    expect(await langOf("?lang=xx", "fr")).to.equal("pt ltr");
    expect(await langOf("?lang=de&lang=ar", "fr")).to.equal("pt ltr");
    const plain = await stories.make();
    expect(await (await get(`/i/${plain.id}`, { "accept-language": "es-AR,es" })).text()).to.include(
      'lang="es"',
    );
  });

  it("say that a payment method is not available now, and show the others", async () => {
    const invoice = await stories.make();
    const lightning = {
      invoiceId: invoice.id,
      type: "BTC-LN",
      available: false,
      reason: "node-unavailable",
    } as const;
    await api.db.manager.insert(InvoicePaymentMethod, lightning);
    expect(words(await page(invoice)))
      .to.include(en.missingLightning)
      .and.not.to.include(en.noWays);
    await api.db.manager.update(InvoicePaymentMethod, { invoiceId: invoice.id }, NONE);
    expect(words(await page(invoice))).to.include(en.noWays);
  });

  it("allow a browser only their own files and the store's own logo, and no frame", async () => {
    const branded = await checkoutStore(api.ctx);
    const logoUrl = "https://cdn.shop.example/logo.png;script-src *";
    await api.db.manager.update(Store, branded.id, { logoUrl });
    const { id } = await checkoutStories(api.ctx, branded).make();
    const answer = await get(`/i/${id}`);
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy.replace(/'nonce-[^']+'/, "NONCE").split("; ")).to.deep.equal([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' NONCE",
      "img-src 'self' https://cdn.shop.example",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ]);
    expect(answer.headers.get("cache-control")).to.equal("no-store");
    const unknown = await get("/i/inv_4wBqpZM9k2mAgN8rTzZy7VdQ");
    expect(unknown.headers.get("content-security-policy")).to.include("form-action 'none'");
    const markup = await answer.text();
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? "none";
    expect(markup).to.include(`<style nonce="${nonce}">`).and.to.include("--brand: #f7931a");
    expect(markup).not.to.match(/<script(?! type="module" src=)| style="| on\w+="/);
  });

  it("may be framed by the store's websites only, and by no other store's", async () => {
    const shop = await checkoutStore(api.ctx);
    const checkoutOrigins = ["https://tea.example", "http://localhost:8080"];
    await api.db.manager.update(Store, shop.id, { checkoutOrigins });
    const { id } = await checkoutStories(api.ctx, shop).make();
    const framed = await get(`/i/${id}`);
    const ancestors = (answer: Response) =>
      /frame-ancestors ([^;]*)$/.exec(answer.headers.get("content-security-policy") ?? "")?.[1];
    expect(ancestors(framed)).to.equal("https://tea.example http://localhost:8080");
    expect(framed.headers.get("x-frame-options")).to.equal(null);
    expect(await framed.text()).to.include('data-framed-by="https://tea.example http://localhost:8080"');
    for (const path of [`/i/${(await stories.make()).id}`, "/i/inv_4wBqpZM9k2mAgN8rTzZy7VdQ"]) {
      const closed = await get(path);
      expect(ancestors(closed), path).to.equal("'none'");
      expect(closed.headers.get("x-frame-options"), path).to.equal("DENY");
    }
  });

  it("show no picture of a host that would break their policy", async () => {
    const odd = await checkoutStore(api.ctx);
    await api.db.manager.update(Store, odd.id, { logoUrl: "https://a;sandbox/logo.png" });
    const { id } = await checkoutStories(api.ctx, odd).make();
    expect((await get(`/i/${id}`)).headers.get("content-security-policy")).to.include("img-src 'self'; ");
  });

  describe("their state", () => {
    it("is sent again only when it changed", async () => {
      const invoice = await stories.make();
      const first = await get(`/i/${invoice.id}/state?lang=en`);
      // As browsers ask; Node's fetch would forbid the answer from being an old one.
      const asked = { "if-none-match": first.headers.get("etag") ?? "", "cache-control": "max-age=0" };
      const state = (await first.json()) as {
        version: string;
        phase: string;
        html: string;
        secondsLeft: number;
      };
      expect(state).to.include({ phase: "waiting" });
      expect(state.secondsLeft).to.be.within(840, 900);
      expect(await page(invoice, "?lang=en"))
        .to.include(`data-version="${state.version}"`)
        .and.include(state.html);
      const again = await get(`/i/${invoice.id}/state?lang=en`, asked);
      expect([again.status, await again.text()]).to.deep.equal([304, ""]);

      await stories.paidBy(invoice);
      const news = await get(`/i/${invoice.id}/state?lang=en`, asked);
      expect(news.status).to.equal(200);
      const paid = (await news.json()) as typeof state & { poll: boolean };
      expect(paid).to.include({ phase: "paid", secondsLeft: null, poll: false });
      expect(words(paid.html)).to.include(
        `Thank you. Your payment is complete and has reached ${store.name}.`,
      );
    });
  });

  it("are rendered once for a version and a language, and the last 200 are kept", async () => {
    const view = checkoutView(await readCheckout(api.ctx, (await stories.invoiceIn("waiting")).id));
    const language = chooseLanguage(["en"]);
    const version = versionOf(view, language);
    const first = keptPart(view, language, version);
    expect(versionOf(view, chooseLanguage(["de"]))).not.to.equal(version);
    for (let at = 1; at < 200; at += 1) keptPart(view, language, `v${at}`);
    expect(keptPart(view, language, version)).to.equal(first);
    const [older, newer] = [keptPart(view, language, "v1"), keptPart(view, language, "v2")];
    for (let at = 0; at < 199; at += 1) keptPart(view, language, `w${at}`);
    expect(keptPart(view, language, "v2")).to.equal(newer);
    expect(keptPart(view, language, "v1")).not.to.equal(older);
  });

  it("name the seller on the receipt alone, as the store wrote it", async () => {
    const sellerDetails = "<Tea> & Sons\n1 Harbour Road\nVAT IE1234567X";
    await api.db.manager.update(Store, store.id, { sellerDetails });
    try {
      const receipt = await page(await stories.invoiceIn("paid"));
      expect(receipt).to.include("&lt;Tea&gt; &amp; Sons\n1 Harbour Road\nVAT IE1234567X");
      expect(words(await page(await stories.invoiceIn("waiting")))).to.not.include("Harbour");
    } finally {
      await api.db.manager.update(Store, store.id, { sellerDetails: null });
    }
  });

  it("are sent compressed to whoever takes that: a page of three codes in less than 14 KiB", async () => {
    const { id } = await stories.invoiceIn("waiting");
    for (const path of [`/i/${id}`, `/i/${id}/state`]) {
      const plain = await get(path, { "accept-encoding": "identity" });
      const zipped = await get(path, { "accept-encoding": "gzip" });
      expect([plain, zipped].map(({ headers }) => headers.get("content-encoding"))).to.deep.equal([
        null,
        "gzip",
      ]);
      expect(zipped.headers.get("vary")?.toLowerCase()).to.include("accept-encoding");
      expect(Number(zipped.headers.get("content-length"))).to.be.within(1_000, 14 * 1_024);
      expect(zipped.headers.get("content-type")).to.equal(plain.headers.get("content-type"));
      expect(zipped.headers.get("etag")).to.equal(plain.headers.get("etag"));
    }
  });

  describe("when overloaded", () => {
    it("ask to wait, in text and by Retry-After, when an address sends too many requests", async () => {
      const limited = await startApi({ db: api.db, parts: { limits: refusingLimits() } });
      try {
        const answer = await fetch(`${limited.base}/i/inv_4wBqpZM9k2mAgN8rTzZy7VdQ`);
        expect([answer.status, answer.headers.get("retry-after")]).to.deep.equal([429, "7"]);
        expect(words(await answer.text())).to.include(en.busyTitle);
      } finally {
        await limited.listening.close();
      }
    });

    it("say that they come back, while the database is away", async () => {
      const early = await startApi({ db: api.db, parts: { context: () => null } });
      try {
        const answer = await fetch(`${early.base}/i/inv_4wBqpZM9k2mAgN8rTzZy7VdQ`);
        expect([answer.status, answer.headers.get("retry-after")]).to.deep.equal([503, "10"]);
        expect(words(await answer.text())).to.include(en.busyText);
        expect(answer.headers.get("refresh"), "with scripts too").to.equal("10");
      } finally {
        await early.listening.close();
      }
    });
  });
});
