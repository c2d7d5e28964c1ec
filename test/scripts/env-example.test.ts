import { expect } from "chai";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseEnv } from "node:util";
import { ConfigError, parseConfig } from "../../config/load";
import { SETTINGS, type SettingName } from "../../config/schema";
import { envExample, isStale } from "../../scripts/env-example";

const ROOT = path.join(__dirname, "../..");
const names = Object.keys(SETTINGS) as SettingName[];

describe(".env.example", () => {
  it("matches config/schema.ts", () => {
    expect(isStale(ROOT)).to.equal(false);
  });

  it("is stale when it lacks a key, has one that nothing reads, or is missing", () => {
    const copy = mkdtempSync(path.join(os.tmpdir(), "quittance-settings-"));
    expect(isStale(copy)).to.equal(true);
    const example = envExample();
    for (const text of [
      example.replace(/^.*TRUST_PROXY=.*\n/m, ""),
      `${example}\n# Nobody reads this.\n# OLD_KEY=1\n`,
    ]) {
      writeFileSync(path.join(copy, ".env.example"), text);
      expect(isStale(copy)).to.equal(true);
    }
    rmSync(copy, { recursive: true });
  });

  it("shows each key once, with its sentence and its default above it", () => {
    const lines = envExample().split("\n");
    for (const name of names) {
      const at = lines.flatMap((line, index) =>
        line.replace(/^# /, "").startsWith(`${name}=`) ? [index] : [],
      );
      expect(at, name).to.have.length(1);
      expect(lines[(at[0] ?? 0) - 1])
        .to.match(/^# .+/)
        .and.include(SETTINGS[name].about);
    }
    expect(lines).to.include("# Port that the API listens on. Default: 3000.");
  });

  it("gives examples that the schema accepts", () => {
    for (const name of names)
      if (name !== "APP_SECRET")
        expect(SETTINGS[name].schema.safeParse(SETTINGS[name].example).success, name).to.equal(true);
  });

  it("leaves no required key out of a copied .env, and no publicly known secret in it", () => {
    const copied = parseEnv(envExample());
    expect(() => parseConfig(copied))
      .to.throw(ConfigError)
      .with.property("problems")
      .with.length(1);
    expect(() => parseConfig({ ...copied, APP_SECRET: "x".repeat(32) })).not.to.throw();
  });
});
