import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { readFiles } from "../http/built-files";

/** The page has placeholders for the nonce and the base; names of files are relative to the service's URL. */
export type DashboardFiles = NonNullable<ReturnType<typeof readDashboard>>;

export function readDashboard(folder: string) {
  const index = path.join(folder, "index.html");
  if (!existsSync(index)) return null;
  return { page: readFileSync(index, "utf8"), files: readFiles(folder) };
}
