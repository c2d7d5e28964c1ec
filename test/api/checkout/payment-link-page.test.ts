import { expect } from "chai";
import { makeRateLimits } from "../../../adapters/rate-limits";
import { en } from "../../../domain/languages/texts/en";
import { de } from "../../../domain/languages/texts/de";
import { createApiKey } from "../../../commands/stores/api-key";
import {
  archivePaymentLink,
  createPaymentLink,
  type PaymentLinkInput,
} from "../../../commands/payment-links/write-payment-link";
import { parseTrustedProxies } from "../../../domain/client-address";
import { Invoice } from "../../../entities/invoice";
import type { PaymentLink } from "../../../entities/payment-link";
import type { Store } from "../../../entities/store";
import { checkoutStore } from "../../stories/checkout-stories";
import { recordingLog } from "../../support/context";
import { startApi, type TestApi } from "../server";

const TEA = { description: "Tea & biscuits", currency: "SATS", amounts: ["25000"], maxPerDay: 100 };
const FORM = { "content-type": "application/x-www-form-urlencoded" };

interface Sent {
  amount?: string;
  key?: string;
  headers?: Record<string, string>;
  query?: string;
}

describe("the page of a payment link", () => {
  let api: TestApi;
  let store: Store;
  before(async () => {
    let db: TestApi["db"] | null = null;
    const { log } = recordingLog();
    const options = { redisUrl: undefined, db: () => db, log, deadlineMs: 60_000 };
    const limits = makeRateLimits({ perMinute: 300, ...options });
    api = await startApi({ parts: { limits, trustedProxies: parseTrustedProxies(["127.0.0.1"]) } });
    db = api.db;
  });
  beforeEach(async () => (store = await checkoutStore(api.ctx)));
  after(() => api.stop());

  const make = async (input: Partial<PaymentLinkInput> = {}): Promise<PaymentLink> =>
    (await createPaymentLink(api.ctx, store.id, { ...TEA, ...input })).link;
  let senders = 0;
  /** Each from an address of its own. */
  const from = (address = `198.51.100.${++senders}`) => ({ "x-forwarded-for": address });
  const get = (path: string, language = "en") =>
    fetch(api.base + path, { headers: { ...from(), "accept-language": language } });
  const pay = (
    { id }: Pick<PaymentLink, "id">,
    { amount = "25000", key = "", headers = {}, query = "" }: Sent = {},
  ) =>
    fetch(`${api.base}/p/${id}${query}`, {
      method: "POST",
      headers: { ...FORM, origin: api.base, ...from(), ...headers },
      body: String(new URLSearchParams({ amount, key })),
      redirect: "manual",
    });
  const invoices = () => api.db.manager.countBy(Invoice, { storeId: store.id });

  it("creates nothing when it is opened, and an invoice when its form is sent: 303 to its checkout", async () => {
    const link = await make();
    const markup = await (await get(`/p/${link.id}`)).text();
    expect(markup).to.include("Tea &amp; biscuits").and.to.include("25,000 sats").and.to.include(en.linkPay);
    expect(await invoices()).to.equal(0);
    const paid = await pay(link, { query: "?lang=de" });
    expect(paid.status).to.equal(303);
    expect(paid.headers.get("location")).to.match(/^\/i\/inv_\w+\?lang=de$/);
    expect((await get(paid.headers.get("location") ?? "")).status).to.equal(200);
  });

  it("creates one invoice for the same page sent twice", async () => {
    const link = await make();
    const [, key = ""] = /name="key" value="(\w+)"/.exec(await (await get(`/p/${link.id}`)).text()) ?? [];
    const [one, two] = await Promise.all([pay(link, { key }), pay(link, { key })]);
    expect(one.headers.get("location")).to.equal(two.headers.get("location"));
    expect(await invoices()).to.equal(1);
  });

  it("answers 404, 410 and 429 in the customer's language", async () => {
    const [archived, full] = [await make(), await make({ maxPerDay: 1 })];
    await archivePaymentLink(api.ctx, store.id, archived.id, true);
    await pay(full);
    const answers = [];
    for (const path of [
      `/p/lnk_${"x".repeat(24)}`,
      "/p/%00",
      `/p/${archived.id}`,
      `/p/${archived.id}/print`,
      `/p/${full.id}`,
    ]) {
      const answer = await get(path, "de");
      const [, title] = /<h1>([^<]+)<\/h1>/.exec(await answer.text()) ?? [];
      answers.push([answer.status, title]);
    }
    expect(answers).to.deep.equal([
      [404, de.linkUnknownTitle],
      [404, de.linkUnknownTitle],
      [410, de.linkClosedTitle],
      [410, de.linkClosedTitle],
      [429, de.linkFullTitle],
    ]);
    expect((await pay(archived)).status).to.equal(410);
    expect((await pay(full)).status).to.equal(429);
  });

  it("shows the form again with the reason and what was typed: 422", async () => {
    const link = await make({ amounts: null, minAmount: "100", maxAmount: "500" });
    for (const [amount, reason] of [
      ["<ten>", "Please enter an amount such as 100 sats."],
      ["501", en.linkNotOffered],
    ] as const) {
      const refused = await pay(link, { amount });
      const markup = await refused.text();
      expect([refused.status, markup.includes(reason)]).to.deep.equal([422, true]);
      expect(markup).to.include(`value="${amount.replace("<", "&lt;").replace(">", "&gt;")}"`);
    }
    expect(await invoices()).to.equal(0);
  });

  it("takes no form of another site", async () => {
    const link = await make();
    const refused = await pay(link, { headers: { origin: "https://elsewhere.example" } });
    expect([refused.status, await invoices()]).to.deep.equal([403, 0]);
  });

  it("keeps the policy of the checkout: no script of others, and forms to this origin alone", async () => {
    const policy = (await get(`/p/${(await make()).id}`)).headers.get("content-security-policy") ?? "";
    expect(policy).to.include("default-src 'none'").and.to.include("script-src 'self'");
    expect(policy).to.include("form-action 'self'").and.to.include("frame-ancestors 'none'");
  });

  it("lets an address create three in ten seconds, and counts before anything is created", async () => {
    const link = await make();
    const statuses = [];
    for (let at = 0; at < 5; at += 1)
      statuses.push((await pay(link, { headers: from("203.0.113.9") })).status);
    expect(statuses.slice(0, 3)).to.deep.equal([303, 303, 303]);
    expect(statuses.slice(3)).to.include(429);
    expect(await invoices()).to.be.lessThan(5);
  });

  it("counts all addresses of a store together, and leaves the shop's own limit alone", async () => {
    const link = await make();
    const statuses = [];
    for (let at = 0; at < 4; at += 1) statuses.push((await pay(link)).status);
    expect(statuses).to.deep.equal([303, 303, 303, 429]);
    const { apiKey } = await createApiKey(api.ctx, { storeId: store.id, name: "shop" });
    const own = await api.call("GET", `/stores/${store.id}/invoices`, { key: apiKey });
    expect([own.status, own.headers.get("ratelimit")?.split(";")[1]]).to.deep.equal([200, "r=299"]);
  });

  it("can be printed: its code leads to the page", async () => {
    const link = await make();
    const markup = await (await get(`/p/${link.id}/print`)).text();
    expect(markup)
      .to.include(`/p/${link.id}</code>`)
      .and.to.include('class="qr"')
      .and.to.include(en.linkScan);
  });
});
