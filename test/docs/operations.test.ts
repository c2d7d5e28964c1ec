import { expect } from "chai";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ALERT_KINDS } from "../../entities/alert";

const ROOT = path.join(__dirname, "../..");
const FOLDER = path.join(ROOT, "docs/operations");
const page = (name: string): string => readFileSync(path.join(FOLDER, name), "utf8");
const operations = readdirSync(FOLDER).map(page).join("\n");
const monitoring = page("monitoring-and-alerts.md");

/** Every source of the folders that can raise an alert. */
function sources(): string {
  return ["commands", "workers"]
    .flatMap((folder) =>
      readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => readFileSync(path.join(ROOT, folder, name), "utf8")),
    )
    .join("\n");
}

describe("the operator's documents", () => {
  it("explain every alert that can be raised", () => {
    const code = sources();
    const raised = ALERT_KINDS.filter((kind) => code.includes(`"${kind}"`));
    const table = monitoring.slice(monitoring.indexOf("## Alerts"));
    const told = [...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, kind]) => kind);
    expect(raised).not.to.have.length(0);
    expect(told.sort()).to.deep.equal([...raised].sort());
  });

  it("name only existing commands of the command line", () => {
    const commands = readdirSync(path.join(ROOT, "scripts/cli"))
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(path.join(ROOT, "scripts/cli", name), "utf8"))
      .join("\n");
    const named = [...operations.matchAll(/cli -- ([a-z][a-z-]*(?: [a-z][a-z-]*)*)/g)].map(
      ([, words]) => words ?? "",
    );
    expect(named).not.to.have.length(0);
    for (const word of named.flatMap((words) => words.split(" ")))
      expect(commands, word).to.match(new RegExp(`command\\("${word}"\\)`));
  });

  it("name only existing migrations", () => {
    const classes = readdirSync(path.join(ROOT, "database/migrations"))
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(path.join(ROOT, "database/migrations", name), "utf8"))
      .join("\n");
    const named = [...operations.matchAll(/\b[A-Z][A-Za-z]+\d{13}\b/g)].map(([name]) => name);
    expect(named).not.to.have.length(0);
    for (const name of named) expect(classes).to.include(`export class ${name} `);
  });
});
