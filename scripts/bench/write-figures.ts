import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./build";

const PAGE = path.join(ROOT, "docs/performance.md");
const BEGIN = "<!-- figures: written by `npm run bench` -->";
const END = "<!-- figures end -->";

/** Puts the tables of a whole run into docs/performance.md; the text around them is written by hand. */
export function writeFigures(tables: string): void {
  const page = readFileSync(PAGE, "utf8");
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${PAGE} has no place for the figures`);
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${tables.trim()}\n\n${END}${after}`);
}
