import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

function packageFile(dir: string): string {
  const file = path.join(dir, "package.json");
  return existsSync(file) ? file : packageFile(path.dirname(dir));
}

interface Manifest {
  version: string;
  /** Installed packages only: the repository has npm scripts instead. */
  bin?: object;
}

/** Above this file both in the source and in the build. */
const readManifest = (): Manifest => JSON.parse(readFileSync(packageFile(__dirname), "utf8")) as Manifest;

export function readVersion(): string {
  return readManifest().version;
}

/** As an operator types it, here or in an installed package. */
export function cliCommand(words: string): string {
  return `${readManifest().bin === undefined ? "npm run -s cli --" : "quittance cli"} ${words}`.trimEnd();
}
