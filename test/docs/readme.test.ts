import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(__dirname, "../..");
const read = (name: string): string => readFileSync(path.join(ROOT, name), "utf8");
const README = read("README.md");

/** The fenced blocks of a language, without their fences. */
function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, code = ""]) => code,
  );
}

describe("README.md", () => {
  for (const [language, file] of [
    ["js", "docs/receivers/node.mjs"],
    ["php", "docs/receivers/receiver.php"],
    ["python", "docs/receivers/receiver.py"],
  ] as const)
    it(`shows ${file} as it is`, () => {
      expect(blocks(README, language)).to.deep.equal([read(file)]);
    });

  it("shows the command that signs by hand as docs/webhooks.md has it, where it is tested", () => {
    const signing = (text: string): string[] =>
      blocks(text, "sh").filter((code) => code.includes("openssl dgst"));
    expect(signing(README))
      .to.have.length(1)
      .and.to.deep.equal(signing(read("docs/webhooks.md")));
  });

  it("names only commands that npm has here", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = [...README.matchAll(/npm (?:run (?:-s )?([\w:]+)|(test)\b)/g)].map(
      ([, run, test]) => run ?? test ?? "",
    );
    expect(named).to.include.members(["demo", "demo:pay", "test", "check", "build", "cli"]);
    for (const name of named) expect(scripts, name).to.have.property(name);
  });

  it("has every folder on its map, and no other", () => {
    const onMap = [...README.matchAll(/^\| `(\w+)\/` \|/gm)].map(([, name]) => name);
    const made = ["node_modules", "dist"];
    const there = readdirSync(ROOT).filter(
      (name) =>
        !name.startsWith(".") && !made.includes(name) && statSync(path.join(ROOT, name)).isDirectory(),
    );
    expect(onMap).to.have.members(there);
  });

  it("tells the Node version that package.json wants", () => {
    const { engines } = JSON.parse(read("package.json")) as { engines: { node: string } };
    expect(README).to.contain(`Node ${engines.node.replace(">=", "")} or newer`);
  });
});
