import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";

const { removeBuilt } = require("../../scripts/npm/clean-dist.cjs") as {
  removeBuilt: (dist: string) => void;
};

const { compileService } = require("../../scripts/npm/compile-service.cjs") as {
  compileService: (dist: string) => void;
};

describe("a build", () => {
  let dist: string;
  beforeEach(() => (dist = mkdtempSync(path.join(os.tmpdir(), "quittance-dist-"))));
  afterEach(() => rmSync(dist, { recursive: true, force: true }));

  it("removes compiled files of the build before, whose migrations would run, and keeps the pages", () => {
    for (const folder of ["migrations", "web"]) {
      mkdirSync(path.join(dist, folder));
      writeFileSync(path.join(dist, folder, "1763700000000-initial-schema.js"), "");
    }
    removeBuilt(dist);
    expect(readdirSync(dist)).to.deep.equal(["web"]);
    expect(() => removeBuilt(path.join(dist, "none"))).not.to.throw();
  });

  it("of the demo compiles only what changed, removes what has no source, and keeps the pages", function () {
    this.timeout(60_000);
    compileService(dist);
    const [kept, stale, gone, page] = [
      path.join(dist, "api/main.js"),
      path.join(dist, "workers/main.js"),
      path.join(dist, "database/migrations/1763700000000-gone.js"),
      path.join(dist, "web/page.js"),
    ];
    const compiled = readFileSync(stale, "utf8");
    mkdirSync(path.dirname(page));
    for (const file of [kept, gone, page]) writeFileSync(file, "");
    rmSync(stale);
    compileService(dist);
    expect(readFileSync(stale, "utf8")).to.equal(compiled).and.to.contain("require(");
    expect(readFileSync(kept, "utf8")).to.equal("");
    expect(existsSync(page)).to.equal(true);
    expect(existsSync(gone)).to.equal(false);
    expect(existsSync(path.join(dist, "scripts/bench"))).to.equal(false);
  });

  it("begins with that", () => {
    const { scripts } = JSON.parse(readFileSync(path.join(__dirname, "../../package.json"), "utf8")) as {
      scripts: { build: string };
    };
    expect(scripts.build).to.match(/^node scripts\/npm\/clean-dist\.cjs && /);
  });
});
