import { mkdirSync } from "node:fs";
import path from "node:path";
import { source as AXE } from "axe-core";
import { expect } from "chai";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { makePasskeys } from "../../adapters/passkeys";
import type { AppDependencies } from "../../api/app";
import { acceptRows } from "../../commands/server/authentic-rows";
import { createUser } from "../../commands/accounts/create-user";
import type { StoreRole } from "../../domain/account/store-role";
import { StoreMember } from "../../entities/store-member";
import { User } from "../../entities/user";
import { startApi, type TestApi } from "../api/server";
import { builtDashboard } from "./built-dashboard";
import { startBrowser } from "./browser";
import { testContext, type TestContext } from "./context";
import { eventually } from "./eventually";

const SCREENSHOTS = path.join(__dirname, "../../.test/screenshots");
const DESKTOP = { width: 1280, height: 900 };
/** Beside the side bar it has little more room than a phone. */
const TABLET = { width: 820, height: 1180 };
const LAPTOP = { width: 1120, height: 800 };
/** Each width and each scheme once: what is too wide does not depend on colours, nor contrast on the width. */
const SHOWN = [
  { name: "desktop-dark", size: DESKTOP, colorScheme: "dark" },
  { name: "phone-light", size: { width: 390, height: 844 }, colorScheme: "light" },
] as const;
const ACTION_TIMEOUT_MS = 60_000;

export const PASSWORD = "correct horse battery staple";

/** The API with the built pages, and a real browser before it. */
export interface Dashboard {
  api: TestApi;
  ctx: TestContext;
  /** Where the browsers find it. */
  base: string;
  browser: Browser;
  /** What a browser complained about, and what it asked of other hosts: should stay empty. */
  complaints: string[];
  /** A browser of its own, as of another person. */
  newPage(): Promise<Page>;
  /** A user who has come in by the one-time link, in a browser of their own. */
  newUser(email: string, options?: { admin?: boolean }): Promise<Page>;
  /** The one-time link of a new user. */
  newLink(email: string, options?: { admin?: boolean }): Promise<string>;
  /** Makes a user a member of a store, with this role from now on; answers the user's id. */
  join(storeId: string, email: string, role?: StoreRole): Promise<string>;
  stop(): Promise<void>;
}

/** Notes what the browser complains about, and what it asks of other hosts. */
export function watch(page: Page, base: string, complaints: string[]): void {
  page.on("console", (message) => {
    // Refusals of the API are shown on the page; the browser logs each of them too.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text()))
      complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(base) && !request.url().startsWith("data:")) complaints.push(request.url());
  });
}

/** Null where there is no browser. */
export async function startDashboard(parts: Partial<AppDependencies> = {}): Promise<Dashboard | null> {
  const browser = await startBrowser();
  if (browser === null) return null;
  // Browsers give passkeys to names alone, so that this is "localhost", at the port that is known once it listens.
  let ctx: TestContext | null = null;
  const api = await startApi({
    parts: { context: () => ctx, dashboard: await builtDashboard(), ...parts },
  });
  const base = `http://localhost:${api.listening.port}`;
  api.ctx.settings.storeCreation = "everyone";
  ctx = await testContext({
    db: api.db,
    settings: { ...api.ctx.settings, publicUrl: base },
    passkeys: makePasskeys(base),
  });
  const complaints: string[] = [];
  const contexts: BrowserContext[] = [];
  const newPage = async (): Promise<Page> => {
    const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: "reduce" });
    contexts.push(context);
    context.setDefaultTimeout(ACTION_TIMEOUT_MS);
    const page = await context.newPage();
    watch(page, base, complaints);
    return page;
  };
  const newLink: Dashboard["newLink"] = async (email, { admin = false } = {}) => {
    const { userId, url } = await createUser(ctx, { email, admin });
    // The first user of a server would be an admin.
    await api.db.query("UPDATE users SET admin = $2 WHERE id = $1", [userId, admin]);
    await acceptRows(ctx);
    return url;
  };
  return {
    api,
    ctx,
    base,
    browser,
    complaints,
    newPage,
    newLink,
    async newUser(email, options) {
      const page = await newPage();
      await page.goto(await newLink(email, options));
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await page.getByRole("button", { name: "Set password" }).click();
      await page.getByRole("heading", { name: "Stores", level: 1 }).waitFor();
      return page;
    },
    async join(storeId, email, role = "owner") {
      const { id: userId } = await ctx.db.manager.findOneByOrFail(User, { email });
      await ctx.db.manager.delete(StoreMember, { storeId, userId });
      await ctx.db.manager.insert(StoreMember, { storeId, userId, role, createdAt: new Date() });
      await acceptRows(ctx);
      return userId;
    },
    async stop() {
      await browser.close();
      await api.stop();
    },
  };
}

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** axe's rules of WCAG 2.2 A and AA, and its best practices; names what breaks them. */
async function violations(page: Page): Promise<string[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(AXE);
  const result = await page.evaluate<AxeResult>("axe.run({ resultTypes: ['violations'] })");
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

/** The next frame, and what moves at a change of the width has arrived. */
const NEXT_FRAME = `new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))).then(() =>
  Promise.allSettled(
    document.getAnimations().filter((one) => one instanceof CSSTransition).map(({ finished }) => finished)))`;
const WIDTHS = "[document.documentElement.scrollWidth, window.innerWidth]";

/** Boxes whose content sticks out or can only be scrolled to, in the page's own part: by their text. */
const TOO_WIDE = `[...document.querySelectorAll("main *")]
  .filter((box) => box.clientWidth > 1 && !box.closest("thead, svg, pre, textarea, select"))
  .filter((box) => !["inline", "none"].includes(getComputedStyle(box).display))
  .filter((box) => !["hidden", "clip"].includes(getComputedStyle(box).overflowX))
  .filter((box) => box.scrollWidth > box.clientWidth + 1 && box.innerText?.trim())
  .map((box) => box.tagName + ": " + box.innerText.slice(0, 60))`;

/** Chromium reports a new size of the window and the layout for it at different moments. */
async function isAsWideAs(page: Page, { width }: { width: number }, shown: string): Promise<void> {
  await eventually(async () => {
    expect(await page.evaluate(WIDTHS), `${shown}: widths of page and window`).to.deep.equal([width, width]);
  });
}

/**
 * What is shown now, at both widths and in both schemes: a picture of each in .test/screenshots/, no violation that axe
 * can find, and nothing wider than the screen, nor than a tablet's or a small laptop's and the boxes there.
 */
export async function inspect(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const found: Record<string, string[]> = {};
  for (const { name: how, size, colorScheme } of SHOWN) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.evaluate("window.scrollTo(0, 0)");
    await page.evaluate(NEXT_FRAME);
    const shown = `${name}-${how}`;
    // For whoever changes a page. Nobody sees those of CI.
    if (!process.env["CI"])
      await page.screenshot({ path: path.join(SCREENSHOTS, `${shown}.png`), fullPage: true });
    const broken = await violations(page);
    if (broken.length > 0) found[shown] = broken;
    await isAsWideAs(page, size, shown);
  }
  expect(found).to.deep.equal({});
  for (const size of [TABLET, LAPTOP]) {
    await page.setViewportSize(size);
    await page.evaluate(NEXT_FRAME);
    await isAsWideAs(page, size, `${name}-${size.width}`);
    expect(await page.evaluate(TOO_WIDE), `${name}-${size.width}: wider than their boxes`).to.deep.equal([]);
  }
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: "light" });
}
