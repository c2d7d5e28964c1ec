import { expect } from "chai";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ALERT_KINDS } from "../../entities/alert";

const ROOT = path.join(__dirname, "../..");
const operations = readFileSync(path.join(ROOT, "docs/operations.md"), "utf8");

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

describe("the operator's guide", () => {
  it("says of every alert that can come what it means and what to do", () => {
    const code = sources();
    const raised = ALERT_KINDS.filter((kind) => code.includes(`"${kind}"`));
    const table = operations.slice(operations.indexOf("## Alerts"), operations.indexOf("## When something"));
    const told = [...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, kind]) => kind);
    expect(raised).not.to.have.length(0);
    expect(told.sort()).to.deep.equal([...raised].sort());
  });

  it("names only commands that the command line has", () => {
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

  it("names only npm scripts and files that are there", () => {
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const named = [...operations.matchAll(/npm run (?:-s )?([a-z:]+)/g)].map(([, script]) => script);
    expect(Object.keys(scripts)).to.include.members(named);
  });
});
