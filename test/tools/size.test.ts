import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { builtDashboard, DASHBOARD_FOLDER } from "../support/built-dashboard";

interface Chunk {
  file: string;
  isEntry?: boolean;
  imports?: string[];
  dynamicImports?: string[];
}

const LIMIT_BYTES = 250_000;

describe("what a page of the dashboard loads", function () {
  this.timeout(60_000);
  let chunks: Record<string, Chunk>;
  before(async () => {
    await builtDashboard();
    chunks = JSON.parse(readFileSync(path.join(DASHBOARD_FOLDER, "manifest.json"), "utf8")) as typeof chunks;
  });

  /** A chunk with all that it cannot run without. */
  function closure(name: string, seen = new Set<string>()): Set<string> {
    if (seen.has(name)) return seen;
    seen.add(name);
    for (const other of chunks[name]?.imports ?? []) closure(other, seen);
    return seen;
  }
  const compressed = (name: string): number =>
    gzipSync(readFileSync(path.join(DASHBOARD_FOLDER, chunks[name]?.file ?? ""))).length;

  it("is less than 250 kB of JavaScript compressed by gzip, whichever page is the first", () => {
    const entry = Object.keys(chunks).find((name) => chunks[name]?.isEntry === true) ?? "none";
    const pages = Object.keys(chunks).filter((name) => name.startsWith("pages/"));
    expect(pages).to.include.members(["pages/login.tsx", "pages/stores.tsx", "pages/store-home.tsx"]);
    const sizes = pages.map((page) => {
      const needed = new Set([...closure(entry), ...closure(page)]);
      return [page, [...needed].reduce((sum, name) => sum + compressed(name), 0)] as const;
    });
    const tooLarge = sizes.filter(([, bytes]) => bytes >= LIMIT_BYTES);
    expect(tooLarge).to.deep.equal([]);
    for (const [page, bytes] of sizes) expect(bytes, page).to.be.greaterThan(50_000); // it was measured
  });
});
