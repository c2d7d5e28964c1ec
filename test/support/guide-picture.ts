import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "./eventually";

const FOLDER = path.join(__dirname, "../../docs/images");
const SIZE = { width: 1120, height: 900 };

/** A picture for docs/dashboard.md, made only with GUIDE_PICTURES=1: each run's would differ in its ids and times. */
export async function guidePicture(page: Page, name: string): Promise<void> {
  if (process.env.GUIDE_PICTURES !== "1") return;
  mkdirSync(FOLDER, { recursive: true });
  const before = page.viewportSize();
  await page.setViewportSize(SIZE);
  await page.evaluate("window.scrollTo(0, 0)");
  await eventually(async () => expect(await page.locator(".mantine-Notification-root").count()).to.equal(0));
  await page.screenshot({ path: path.join(FOLDER, `${name}.png`), animations: "disabled" });
  if (before !== null) await page.setViewportSize(before);
}
