import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { readFiles, type BuiltFile } from "../http/built-files";

export interface DashboardFiles {
  /** With placeholders for the nonce and the base. */
  page: string;
  /** By path relative to the service's URL, such as "assets/index-BfgMZelC.js". */
  files: ReadonlyMap<string, BuiltFile>;
}

export function readDashboard(folder: string): DashboardFiles | null {
  const index = path.join(folder, "index.html");
  if (!existsSync(index)) return null;
  return { page: readFileSync(index, "utf8"), files: readFiles(folder) };
}
