import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";

const load = createRequire(__filename);
const ROOT = path.join(__dirname, "../..");
const { apps } = load("../../ecosystem.config.js") as {
  apps: { name: string; script: string; args?: string; node_args: string[]; kill_timeout: number }[];
};
const { unitsOf } = load("../../scripts/deb/units.cjs") as {
  unitsOf: (root: string) => Record<string, string>;
};

/** The values of a key, in order. */
const valuesOf = (unit: string, key: string): string[] =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);

describe("the units of the Debian package", () => {
  const units = unitsOf(ROOT);

  it("are one for each app of ecosystem.config.js, and a target", () => {
    expect(apps).to.have.length(8);
    expect(Object.keys(units)).to.have.members([
      "quittance.target",
      ...apps.map(({ name }) => `quittance-${name}.service`),
    ]);
  });

  for (const { name, script, args, node_args, kill_timeout } of apps)
    it(`start and stop ${name} as PM2 does, without PM2`, () => {
      const unit = units[`quittance-${name}.service`] ?? "";
      const file = `/usr/lib/quittance/${path.relative(ROOT, script)}`;
      const command = ["/usr/bin/node", ...node_args, file, ...(args === undefined ? [] : [args])];
      expect(valuesOf(unit, "ExecStart")).to.deep.equal([command.join(" ")]);
      expect(valuesOf(unit, "TimeoutStopSec")).to.deep.equal([String(kill_timeout / 1_000)]);
      expect(valuesOf(unit, "PartOf")).to.deep.equal(["quittance.target"]);
      expect(valuesOf(unit, "WantedBy")).to.deep.equal(["quittance.target"]);
      expect(valuesOf(unit, "Restart")).to.deep.equal(["always"]);
      expect(valuesOf(unit, "User")).to.deep.equal(["quittance"]);
      expect(unit).not.to.match(/pm2|^Environment=.*(SECRET|URL)/im);
    });

  it("follow ecosystem.config.js: an app that it gains has a unit", () => {
    const root = mkdtempSync(path.join(os.tmpdir(), "quittance-units-"));
    const script = path.join(root, "dist/workers/main.js");
    const apps = [{ name: "more", script, args: "more", node_args: ["--flag"], kill_timeout: 1_500 }];
    writeFileSync(path.join(root, "ecosystem.config.js"), `module.exports = ${JSON.stringify({ apps })};`);
    const more = unitsOf(root);
    rmSync(root, { recursive: true });
    expect(Object.keys(more)).to.deep.equal(["quittance.target", "quittance-more.service"]);
    const unit = more["quittance-more.service"] ?? "";
    expect(valuesOf(unit, "ExecStart")).to.deep.equal([
      "/usr/bin/node --flag /usr/lib/quittance/dist/workers/main.js more",
    ]);
    expect(valuesOf(unit, "TimeoutStopSec")).to.deep.equal(["2"]);
  });
});
