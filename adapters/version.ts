import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

function packageFile(dir: string): string {
  const file = path.join(dir, "package.json");
  return existsSync(file) ? file : packageFile(path.dirname(dir));
}

/** The version in package.json, which is above this file both in the source and in the build. */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(packageFile(__dirname), "utf8")) as { version: string };
  return version;
}
