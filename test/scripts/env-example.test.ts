import { expect } from "chai";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseEnv } from "node:util";
import { ConfigError, parseConfig } from "../../config/load";
import { SETTINGS, type SettingName } from "../../config/schema";
import { envExample, staleDocuments, withSettingsTable } from "../../scripts/env-example";

const ROOT = path.join(__dirname, "../..");
const names = Object.keys(SETTINGS) as SettingName[];

describe("the documents of the settings", () => {
  let copy: string;
  beforeEach(() => {
    copy = mkdtempSync(path.join(os.tmpdir(), "quittance-settings-"));
    mkdirSync(path.join(copy, "docs/operations"), { recursive: true });
    for (const file of [".env.example", "docs/operations/set-up.md"])
      cpSync(path.join(ROOT, file), path.join(copy, file));
  });
  afterEach(() => rmSync(copy, { recursive: true, force: true }));

  const edit = (file: string, change: (text: string) => string): void =>
    writeFileSync(path.join(copy, file), change(readFileSync(path.join(copy, file), "utf8")));
  const stale = (): string[] => staleDocuments(copy).map(({ name }) => name);

  it("match config/schema.ts", () => {
    expect(staleDocuments(ROOT).map(({ name }) => name)).to.deep.equal([]);
  });

  it("are stale when .env.example lacks a key", () => {
    edit(".env.example", (text) => text.replace(/^.*TRUST_PROXY=.*\n/m, ""));
    expect(stale()).to.deep.equal([".env.example"]);
  });

  it("are stale when .env.example has a key that nothing reads", () => {
    edit(".env.example", (text) => `${text}\n# Nobody reads this.\n# OLD_KEY=1\n`);
    expect(stale()).to.deep.equal([".env.example"]);
  });

  it("are stale when .env.example is missing", () => {
    rmSync(path.join(copy, ".env.example"));
    expect(stale()).to.deep.equal([".env.example"]);
  });

  it("are stale when the operator's table has another default", () => {
    edit("docs/operations/set-up.md", (text) => text.replace("| `PORT` | `3000` |", "| `PORT` | `8080` |"));
    expect(stale()).to.deep.equal(["docs/operations/set-up.md"]);
  });

  it("name a document whose table has lost its marks", () => {
    expect(() => withSettingsTable("# Operations\n")).to.throw("no table marks");
  });

  it("show each key once, with its sentence above it", () => {
    const lines = envExample().split("\n");
    for (const name of names) {
      const at = lines.flatMap((line, index) =>
        line.replace(/^# /, "").startsWith(`${name}=`) ? [index] : [],
      );
      expect(at, name).to.have.length(1);
      expect(lines[(at[0] ?? 0) - 1]).to.equal(`# ${SETTINGS[name].about}`);
    }
  });

  it("give examples that the schema accepts", () => {
    for (const name of names)
      if (name !== "APP_SECRET")
        expect(SETTINGS[name].schema.safeParse(SETTINGS[name].example).success, name).to.equal(true);
  });

  it("leave no required key out of a copied .env, and no publicly known secret in it", () => {
    const copied = parseEnv(envExample());
    expect(() => parseConfig(copied))
      .to.throw(ConfigError)
      .with.property("problems")
      .with.length(1);
    expect(() => parseConfig({ ...copied, APP_SECRET: "x".repeat(32) })).not.to.throw();
  });
});
