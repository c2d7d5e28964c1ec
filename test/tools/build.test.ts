import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { buildService } from "../support/built";

const { compileAnew, compileService, staleSources } = require("../../scripts/npm/compile-service.cjs") as {
  compileAnew: (dist: string) => void;
  compileService: (dist: string) => void;
  staleSources: (dist: string) => string[];
};

describe("a build", () => {
  let dist: string;
  beforeEach(() => (dist = mkdtempSync(path.join(os.tmpdir(), "quittance-dist-"))));
  afterEach(() => rmSync(dist, { recursive: true, force: true }));

  it("compiles all files anew, removes those of the build before, whose migrations would run, and keeps the pages", function () {
    this.timeout(60_000);
    const [page, migration, compiled] = [
      path.join(dist, "web/page.js"),
      path.join(dist, "database/migrations/1763700000000-gone.js"),
      path.join(dist, "api/main.js"),
    ];
    for (const file of [page, migration, compiled]) {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, "");
    }
    compileAnew(dist);
    expect(existsSync(page)).to.equal(true);
    expect(existsSync(migration)).to.equal(false);
    // Although it is newer than its source.
    expect(readFileSync(compiled, "utf8")).to.contain("require(");
  });

  it("of the demo compiles only what changed, removes what has no source, and keeps the pages", function () {
    this.timeout(60_000);
    cpSync(buildService(), dist, { recursive: true });
    const [kept, stale, gone, page] = [
      path.join(dist, "api/main.js"),
      path.join(dist, "workers/main.js"),
      path.join(dist, "database/migrations/1763700000000-gone.js"),
      path.join(dist, "web/page.js"),
    ];
    const compiled = readFileSync(stale, "utf8");
    mkdirSync(path.dirname(page), { recursive: true });
    for (const file of [kept, gone, page]) writeFileSync(file, "");
    rmSync(stale);
    compileService(dist);
    expect(readFileSync(stale, "utf8")).to.equal(compiled).and.to.contain("require(");
    expect(readFileSync(kept, "utf8")).to.equal("");
    expect(existsSync(page)).to.equal(true);
    expect(existsSync(gone)).to.equal(false);
    expect(existsSync(path.join(dist, "scripts/bench"))).to.equal(false);
  });

  it("is as old as its reading of the sources: one that is saved meanwhile is compiled by the next", () => {
    cpSync(buildService(), dist, { recursive: true });
    const files = ["api/main.js", "workers/main.js"].map((name) => path.join(dist, name));
    for (const file of files) rmSync(file);
    compileService(dist);
    const madeAt = files.map((file) => statSync(file).mtimeMs);
    expect(new Set(madeAt).size, "one time for all").to.equal(1);
    expect(staleSources(dist)).to.deep.equal([]);
  });
});
