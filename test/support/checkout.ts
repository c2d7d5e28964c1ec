import { expect } from "chai";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import type { AppDependencies } from "../../api/app";
import type { Store } from "../../entities/store";
import { startApi, type TestApi } from "../api/server";
import { startBrowser } from "./browser";
import { builtCheckout } from "./built-checkout";
import { checkoutStore, checkoutStories } from "../stories/checkout-stories";
import { printPages } from "./failed-test";

const ACTION_TIMEOUT_MS = 60_000;

/** People with a phone before the checkout. */
export interface Visitors {
  /** What their browsers complained about: should stay empty. */
  complaints: string[];
  /** A browser of its own, as of another person. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /** The last one's page, for a picture of what failed. */
  lastPage(): Page | undefined;
  /** Closes their pages. Throws when one complained. */
  leave(): Promise<void>;
}

export function visitorsWith(browser: Browser, timeoutMs = ACTION_TIMEOUT_MS): Visitors {
  const contexts: BrowserContext[] = [];
  const complaints: string[] = [];
  return {
    complaints,
    async newPage(options = {}) {
      const context = await browser.newContext({
        viewport: { width: 390, height: 844 },
        reducedMotion: "reduce",
        locale: "en-US",
        permissions: ["clipboard-read", "clipboard-write"],
        ...options,
      });
      context.setDefaultTimeout(timeoutMs);
      contexts.push(context);
      const page = await context.newPage();
      page.on("console", (message) => {
        // A refused form is reported on the page; the browser logs it too.
        if (message.type() === "error" && !message.text().includes("status of 422"))
          complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(String(error)));
      return page;
    },
    lastPage: () => contexts.flatMap((context) => context.pages()).at(-1),
    async leave() {
      for (const context of contexts.splice(0)) await context.close();
      expect(complaints.splice(0)).to.deep.equal([]);
    },
  };
}

/** After each test: prints their pages if it failed, and closes them. */
export function leaveAfterEach(visitors: () => Visitors): void {
  afterEach(printPages);
  afterEach(() => visitors().leave());
}

/** A shop's API with the built checkout, and a real browser before it. */
export interface Checkout {
  api: TestApi;
  browser: Browser;
  visitors: Visitors;
  store: Store;
  stories: ReturnType<typeof checkoutStories>;
  /** A visitor at a path of the service; nothing may be asked of another host. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  stop(): Promise<void>;
}

/** Null where there is no browser. */
export async function startCheckout(parts: Partial<AppDependencies> = {}): Promise<Checkout | null> {
  const browser = await startBrowser();
  if (browser === null) return null;
  const api = await startApi({ parts: { checkout: await builtCheckout(), ...parts } });
  const store = await checkoutStore(api.ctx);
  const visitors = visitorsWith(browser);
  return {
    api,
    browser,
    visitors,
    store,
    stories: checkoutStories(api.ctx, store),
    async open(path, options) {
      const page = await visitors.newPage(options);
      page.on("request", (request) => {
        if (!request.url().startsWith(api.base)) visitors.complaints.push(request.url());
      });
      await page.goto(`${api.base}${path}`);
      return page;
    },
    async stop() {
      await browser.close();
      await api.stop();
    },
  };
}
