import type { Browser, Frame } from "playwright-core";

/** What their pages show is printed when a test fails. */
export const openBrowsers = new Set<Browser>();

/**
 * As an `afterEach`, before those that close pages: mocha runs a file's own before this one of the run. A failure that
 * is seen once in fifty runs is understood by what it left, or not at all.
 */
export async function printPages(this: Mocha.Context): Promise<void> {
  if (this.currentTest?.state !== "failed") return;
  const pages = [...openBrowsers]
    .flatMap((browser) => browser.contexts())
    .flatMap((context) => context.pages());
  const shown = await Promise.all(pages.flatMap((page) => page.frames()).map(textOf));
  if (shown.length > 0)
    process.stdout.write(`\nAt "${this.currentTest.fullTitle()}":\n${shown.join("\n\n")}\n`);
}

/** Its address and text, a long one without its middle; a page that does not answer within 2 s says so. */
async function textOf(frame: Frame): Promise<string> {
  const text = await frame.locator("body").innerText({ timeout: 2_000 }).catch(String);
  const shown = text.length <= 4_000 ? text : `${text.slice(0, 1_000)}\n[…]\n${text.slice(-3_000)}`;
  return `${frame.url()}\n${shown}`;
}
