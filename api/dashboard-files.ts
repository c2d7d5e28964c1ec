import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** A built file, and the same compressed. */
export interface DashboardFile {
  type: string;
  content: Buffer;
  br: Buffer | null;
  gzip: Buffer | null;
}

/** What `npm run build` made of web/dashboard. */
export interface DashboardFiles {
  /** index.html with the places for the nonce and the base still in it. */
  page: string;
  /** By path below the service's address, as "assets/index-BfgMZelC.js". */
  files: ReadonlyMap<string, DashboardFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/**
 * Reads the built pages, all at once: a build that replaces the files under a running process changes nothing for it.
 * Null where they are not built.
 */
export function readDashboard(folder: string): DashboardFiles | null {
  const index = path.join(folder, "index.html");
  if (!existsSync(index)) return null;
  const read = (name: string): Buffer => readFileSync(path.join(folder, name));
  const names = new Set(
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => name.split(path.sep).join("/")),
  );
  const files = new Map<string, DashboardFile>();
  for (const name of names) {
    const type = TYPES[path.extname(name)];
    if (type === undefined) continue;
    files.set(name, {
      type,
      content: read(name),
      br: names.has(`${name}.br`) ? read(`${name}.br`) : null,
      gzip: names.has(`${name}.gz`) ? read(`${name}.gz`) : null,
    });
  }
  return { page: readFileSync(index, "utf8"), files };
}
