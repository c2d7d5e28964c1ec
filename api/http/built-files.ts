import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Context } from "koa";

export interface BuiltFile {
  type: string;
  content: Buffer;
  br: Buffer | null;
  gzip: Buffer | null;
  etag: string;
}

/** Weak, since its encodings are one content. */
export const etagOf = (content: Buffer): string =>
  `W/"${createHash("sha256").update(content).digest("base64url")}"`;

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** All at once: a build that replaces them does not affect a running process. None if they are not built. */
export function readFiles(folder: string): ReadonlyMap<string, BuiltFile> {
  if (!existsSync(folder)) return new Map();
  const read = (name: string): Buffer => readFileSync(path.join(folder, name));
  const names = new Set(
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => name.split(path.sep).join("/")),
  );
  const files = new Map<string, BuiltFile>();
  for (const name of names) {
    const type = TYPES[path.extname(name)];
    if (type === undefined) continue;
    const content = read(name);
    files.set(name, {
      type,
      content,
      etag: etagOf(content),
      br: names.has(`${name}.br`) ? read(`${name}.br`) : null,
      gzip: names.has(`${name}.gz`) ? read(`${name}.gz`) : null,
    });
  }
  return files;
}

/** Its address changes with its content. */
export const KEPT = "public, max-age=31536000, immutable";

/** Below assets/ the name has a hash. */
export const keeping = (name: string): string => (name.startsWith("assets/") ? KEPT : "no-cache");

export function serveFile(koa: Context, { type, content, br, gzip, etag }: BuiltFile, cache: string): void {
  koa.set("Cache-Control", cache);
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
  koa.etag = etag;
  if (koa.fresh) koa.status = 304;
}
