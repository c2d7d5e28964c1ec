import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Context } from "koa";

export interface BuiltFile {
  type: string;
  content: Buffer;
  br: Buffer | null;
  gzip: Buffer | null;
}

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** All at once: a build that replaces them does not affect a running process. */
export function readFiles(folder: string): ReadonlyMap<string, BuiltFile> {
  const read = (name: string): Buffer => readFileSync(path.join(folder, name));
  const names = new Set(
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => name.split(path.sep).join("/")),
  );
  const files = new Map<string, BuiltFile>();
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
  return files;
}

/** Below assets/ the name has a hash: cached for ever. */
export function serveFile(koa: Context, name: string, { type, content, br, gzip }: BuiltFile): void {
  koa.set("Cache-Control", name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache");
  koa.vary("Accept-Encoding");
  koa.type = type;
  const [encoding, body] =
    br !== null && koa.acceptsEncodings("br") === "br"
      ? ["br", br]
      : gzip !== null && koa.acceptsEncodings("gzip") === "gzip"
        ? ["gzip", gzip]
        : [null, content];
  if (encoding !== null) koa.set("Content-Encoding", encoding);
  koa.body = body;
}
