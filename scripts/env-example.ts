import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SETTINGS, type SettingName } from "../config/schema";

const FILE = ".env.example";

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
    const value = fallback(name);
    const shown = value ? ` Default: ${value}.` : "";
    return `# ${about}${shown}\n${value === null ? "" : "# "}${name}=${example}\n`;
  });
  return `# Copy this to .env and fill it in; the process environment wins over it. Empty means not set.\n\n${keys.join("\n")}`;
}

/** Whether `.env.example` below `root` is not what the schema says. */
export function isStale(root: string): boolean {
  const file = path.join(root, FILE);
  return !existsSync(file) || readFileSync(file, "utf8") !== envExample();
}

function main(): void {
  const root = path.join(__dirname, "..");
  if (!process.argv.includes("--check")) writeFileSync(path.join(root, FILE), envExample());
  else if (isStale(root)) {
    process.stderr.write(
      `${FILE} is not what config/schema.ts says: run \`npx tsx scripts/env-example.ts\`\n`,
    );
    process.exitCode = 1;
  }
}

if (require.main === module) main();
