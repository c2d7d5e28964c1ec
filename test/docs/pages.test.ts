import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(__dirname, "../..");
const ADR = path.join(ROOT, "docs/adr");
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

const pagesOf = (folder: string): string[] =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => path.join(folder, name));

/** What a heading is called in a link, as git forges call it. */
const anchorsOf = (text: string): string[] =>
  [...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-"),
  );

interface Link {
  file: string;
  page: string;
  anchor: string | undefined;
}

const linksOf = (file: string): Link[] =>
  [...read(file).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([, target = "", anchor]) => ({
    file,
    page: target === "" ? file : path.join(path.dirname(file), target),
    anchor,
  }));

const isDead = ({ page, anchor }: Link): boolean =>
  !existsSync(path.join(ROOT, page)) || (anchor !== undefined && !anchorsOf(read(page)).includes(anchor));

describe("the documents", () => {
  const documents = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", ...pagesOf("docs")];

  it("link to existing documents and headings", () => {
    const links = documents.flatMap(linksOf);
    expect(links.length).to.be.greaterThan(30);
    expect(links.filter(({ anchor }) => anchor !== undefined)).not.to.be.empty;
    expect(links.filter(isDead)).to.deep.equal([]);
  });

  it("have at most 50,000 words together", () => {
    const files = execFileSync("git", ["ls-files", "*.md"], { cwd: ROOT });
    const pages = files
      .toString()
      .trim()
      .split("\n")
      .filter((file) => existsSync(path.join(ROOT, file)));
    const words = pages.flatMap((page) => read(page).trim().split(/\s+/));
    expect(pages).to.include.members(["README.md", "docs/README.md"]);
    expect(words.length).to.be.at.most(50_000);
  });

  it("name only existing npm commands", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = documents.flatMap((page) =>
      [...read(page).matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name = ""]) => ({ page, name })),
    );
    expect(named.map(({ name }) => name)).to.include.members(["dev", "demo", "cli", "lint", "migration:new"]);
    expect(named.filter(({ name }) => !(name in scripts))).to.deep.equal([]);
  });

  it("install our npm packages without running scripts of others", () => {
    const pages = ["README.md", ...["docs", "scripts/npm/readme"].flatMap(pagesOf)];
    const installs = pages.flatMap(
      (page) => read(page).match(/\b(npx|npm (install|ci)) [^`\n]*\bquittance[^`\n]*/g) ?? [],
    );
    expect(installs).to.have.length.greaterThan(5);
    expect(installs.filter((command) => !command.includes("--ignore-scripts"))).to.deep.equal([]);
  });

  it("are all linked from docs/README.md, by their files or, of the decisions, by their index", () => {
    const linked = linksOf("docs/README.md").map(({ page }) => page);
    const files = readdirSync(path.join(ROOT, "docs"), {
      recursive: true,
      encoding: "utf8",
      withFileTypes: true,
    })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".png"))
      .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
      .filter((file) => file !== "docs/README.md" && !file.startsWith("docs/adr/"));
    expect(files.length).to.be.greaterThan(15);
    expect(files.filter((file) => !linked.includes(file))).to.deep.equal([]);
    expect(linked).to.include("docs/adr/README.md");
    expect(linksOf("README.md").map(({ page }) => page)).to.include("docs/README.md");
  });

  describe("of the decisions", () => {
    const decisions = readdirSync(ADR)
      .filter((name) => name !== "README.md")
      .sort()
      .map((name) => ({ name, number: name.slice(0, 4), text: read(`docs/adr/${name}`) }));
    const index = read("docs/adr/README.md");
    const lines = index.split("\n").filter((line) => line.startsWith("- "));
    const joined = [...(/^Numbers .+: (.+)\.$/m.exec(index)?.[1] ?? "").split("; ")].map((group) =>
      group.split(" → "),
    );

    it("are numbered by their index without gap or duplicate", () => {
      const elsewhere = joined.flatMap(([from = ""]) => from.split(", "));
      const numbers = [...decisions.map(({ number }) => number), ...elsewhere].sort();
      expect(numbers).to.deep.equal(numbers.map((_, index) => String(index + 1).padStart(4, "0")));
      expect(decisions.map(({ number }) => number)).to.include.members(joined.map(([, to]) => to));
    });

    it("have number, status and date at their head, and at most 250 words", () => {
      for (const { name, number, text } of decisions) {
        const [head = "", ...body] = text.split(/(?<=\nDate: 20\d\d-\d\d-\d\d\n)/);
        expect(head, name).to.match(
          /^# .+\n\nStatus: (?:accepted|accepted, superseded in part by \[(\d{4})\]\(\1-[\w-]+\.md\))\n\nDate: 20\d\d-\d\d-\d\d\n$/,
        );
        expect(head, name).to.match(RegExp(`^# ${number} `));
        expect(body.join("").trim().split(/\s+/).length, name).to.be.at.most(250);
      }
    });

    it("are listed by their index with their titles", () => {
      const listed = decisions.map(({ name, number, text }) => {
        const [, title = ""] = /^# \d{4} (.+)$/m.exec(text) ?? [];
        return `- [${number}](${name}) ${title}`;
      });
      expect(lines).to.deep.equal(listed);
    });
  });
});
