import { once } from "node:events";
import { expect } from "chai";
import { FollowedInvoices } from "../../../api/checkout/followed-invoices";
import { chooseLanguage } from "../../../domain/languages/language";
import type { ChangeHearer } from "../../../api/live/change-watch";
import { EventStream } from "../../../api/live/event-stream";
import type { CommandContext } from "../../../commands/context";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import type { Change } from "../../../commands/server/notify-changes";
import { checkoutStore, checkoutStories } from "../../stories/checkout-stories";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { eventually } from "../../support/eventually";

describe("invoices of open checkouts", () => {
  let ctx: TestContext;
  before(async () => {
    ctx = await testContext({ db: await testDatabase() });
  });
  after(() => ctx.db.destroy());

  it("are read once for many pages that poll together", async () => {
    const stories = checkoutStories(ctx, await checkoutStore(ctx));
    const { id } = await stories.invoiceIn("waiting");
    const watchInvoice = () => () => undefined;
    const changes = { watch: watchInvoice, watchInvoice };
    const followed = new FollowedInvoices({ context: () => ctx, changes, log: ctx.log });
    let looked = 0;
    const languageFor = () => {
      looked += 1;
      return chooseLanguage(["en"]);
    };
    const pages = Array.from({ length: 20 }, () => ({
      stream: new EventStream(),
      languageFor,
      version: null,
    }));
    await Promise.all(pages.map((page) => followed.follow(id, page)));
    expect(new Set(pages.map(({ version }) => version)).size).to.equal(1);
    expect(pages[0]?.version).to.be.a("string");
    expect(looked).to.equal(20);
    for (const { stream } of pages) stream.end();
  });

  it("are not shown as they were before by a slow read that ends after a later one", async () => {
    const stories = checkoutStories(ctx, await checkoutStore(ctx));
    const { id } = await stories.invoiceIn("waiting");
    let hearer: ChangeHearer | undefined;
    const watchInvoice = (_: string, hears: ChangeHearer) => {
      hearer = hears;
      return () => undefined;
    };
    const gate = new AbortController();
    let waits: "no" | "next" | "yes" = "no";
    const slow: CommandContext = {
      ...ctx,
      // The read asks for the time after it has read the invoice.
      async now(manager) {
        const now = await ctx.now(manager);
        if (waits === "next") {
          waits = "yes";
          await once(gate.signal, "abort");
        }
        return now;
      },
    };
    const changes = { watch: () => () => undefined, watchInvoice };
    const followed = new FollowedInvoices({ context: () => slow, changes, log: ctx.log });
    const shown: (string | null)[] = [];
    const stream = new EventStream();
    const page = {
      stream,
      languageFor: () => chooseLanguage(["en"]),
      get version() {
        return shown.at(-1) ?? null;
      },
      set version(version: string | null) {
        shown.push(version);
      },
    };
    await followed.follow(id, page);
    waits = "next";
    hearer?.missed();
    await eventually(() => expect(waits).to.equal("yes"));
    await changeInvoice(ctx, id, { to: "Settled", note: null });
    hearer?.changed({ topic: "invoices" } as Change);
    await eventually(() => expect(new Set(shown)).to.have.length(2));
    const [before] = shown;
    const count = shown.length;
    gate.abort();
    await followed.follow(id, { stream: new EventStream(), languageFor: page.languageFor, version: null });
    expect(shown.slice(count)).to.not.include(before);
    stream.end();
  });
});
