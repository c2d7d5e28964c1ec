import { spawnSync } from "node:child_process";
import { chromium, type Browser } from "playwright-core";
import { openBrowsers } from "./failed-test";

/** The first is the same browser without its window: a page of its own costs it a fifth of the time. */
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

function installed(): string | null {
  const found = NAMES.find((name) => spawnSync(name, ["--version"]).status === 0);
  if (found !== undefined) return found;
  if (process.env.CI) throw new Error("install chromium-headless-shell: CI must run the tests in a browser");
  process.stderr.write("\n*** There is no chromium on the PATH: the tests in a browser are SKIPPED. ***\n\n");
  return null;
}

/** A real browser; null where none is installed, and its tests are skipped. In CI (`CI` is set) that is an error. */
export async function startBrowser(): Promise<Browser | null> {
  const name = installed();
  if (name === null) return null;
  const executablePath = spawnSync("which", [name]).stdout.toString().trim();
  // Its sandbox needs rights that containers do not give; it opens our own pages alone.
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  openBrowsers.add(browser);
  browser.once("disconnected", () => openBrowsers.delete(browser));
  return browser;
}
