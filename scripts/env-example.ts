import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SETTINGS, type SettingName } from "../config/schema";

const START = "<!-- settings: written by scripts/env-example.ts -->";
const END = "<!-- end of settings -->";
const SET_UP = "docs/operations/set-up.md";

const names = Object.keys(SETTINGS) as SettingName[];

/** A key's value when it is not set: "" when it is off, null when the service does not start without it. */
function fallback(name: SettingName): string | null {
  const result = SETTINGS[name].schema.safeParse(undefined);
  if (!result.success) return null;
  return Array.isArray(result.data) ? result.data.join(",") : String(result.data ?? "");
}

/** The whole of `.env.example`: each key with its sentence; those that may be left out are commented out. */
export function envExample(): string {
  const keys = names.map((name) => {
    const { about, example } = SETTINGS[name];
    return `# ${about}\n${fallback(name) === null ? "" : "# "}${name}=${example}\n`;
  });
  return `# Copy this to .env and fill it in; the process environment wins over it. Empty means not set.\n\n${keys.join("\n")}`;
}

/** The same as a table for `SET_UP`. */
export function settingsTable(): string {
  const cell = (text: string): string => text.replace(/\|/g, "\\|");
  const rows = names.map((name) => {
    const value = fallback(name);
    const shown = value === null ? "required" : value === "" ? "not set" : `\`${value}\``;
    return `| \`${name}\` | ${cell(shown)} | ${cell(SETTINGS[name].about)} |`;
  });
  return ["| key | default | what it is |", "|---|---|---|", ...rows].join("\n");
}

/** A document with the table put between its two marks. */
export function withSettingsTable(document: string): string {
  const from = document.indexOf(START);
  const to = document.indexOf(END);
  if (from < 0 || to < from) throw new Error(`The document has no table marks: ${START} … ${END}`);
  return `${document.slice(0, from)}${START}\n\n${settingsTable()}\n\n${document.slice(to)}`;
}

function read(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** The documents below `root` that are not what the schema says, each with what it should be. */
export function staleDocuments(root: string): { name: string; text: string }[] {
  const setUp = read(path.join(root, SET_UP));
  return [
    { name: ".env.example", text: envExample() },
    { name: SET_UP, text: withSettingsTable(setUp) },
  ].filter(({ name, text }) => read(path.join(root, name)) !== text);
}

function main(): void {
  const root = path.join(__dirname, "..");
  for (const { name, text } of staleDocuments(root)) {
    if (process.argv.includes("--check")) {
      process.stderr.write(
        `${name} is not what config/schema.ts says: run \`npx tsx scripts/env-example.ts\`\n`,
      );
      process.exitCode = 1;
    } else {
      writeFileSync(path.join(root, name), text);
      process.stdout.write(`${name} written\n`);
    }
  }
}

if (require.main === module) main();
