import { expect } from "chai";
import { FollowedInvoices } from "../../../api/checkout/followed-invoices";
import { chooseLanguage } from "../../../api/checkout/language";
import { OpenStream } from "../../../api/http/open-streams";
import { checkoutStore, checkoutStories } from "../../support/checkout-stories";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";

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
      stream: new OpenStream(),
      languageFor,
      version: null,
    }));
    await Promise.all(pages.map((page) => followed.follow(id, page)));
    expect(new Set(pages.map(({ version }) => version)).size).to.equal(1);
    expect(pages[0]?.version).to.be.a("string");
    expect(looked).to.equal(20);
    for (const { stream } of pages) stream.end();
  });
});
