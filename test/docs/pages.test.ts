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
  it("link to pages and headings that are there", () => {
    const pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", ...pagesOf("docs")];
    const links = pages.flatMap(linksOf);
    expect(links.length).to.be.greaterThan(30);
    expect(links.filter(({ anchor }) => anchor !== undefined)).not.to.be.empty;
    expect(links.filter(isDead)).to.deep.equal([]);
  });

  it("number the decisions without gap or double, each under its own number", () => {
    const files = readdirSync(ADR).sort();
    const wanted = files.map((_, index) => String(index + 1).padStart(4, "0"));
    expect(files.map((name) => name.slice(0, 4))).to.deep.equal(wanted);
    for (const name of files)
      expect(read(`docs/adr/${name}`), name).to.match(RegExp(`^# ${name.slice(0, 4)} `));
  });
});
